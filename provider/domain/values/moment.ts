// Moments as texts (RFC 3339): one moment has many spellings.

/** One spelling for one moment, to its last digit; any other text is left as it is. */
export function momentOf(text: string): string {
  const match = /^(.+?)(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/i.exec(text);
  const [, whole = "", fraction = "", zone = ""] = match ?? [];
  const ms = Date.parse(`${whole}${zone}`);
  return Number.isNaN(ms) ? text : `${ms / 1000}.${fraction.replace(/0+$/, "")}`;
}
