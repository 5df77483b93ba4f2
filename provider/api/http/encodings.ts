// The encodings in which a server can return a text: what each makes of it, and one normal form that is the same for most
// of them.

/** How a secret is usually written within another text, the text itself included. */
export function writings(secret: string): string[] {
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  // Half a surrogate pair cannot be encoded.
  const url = encodeURIComponent(secret.replaceAll(/\p{Cs}/gu, "\ufffd"));
  return [secret, JSON.stringify(secret).slice(1, -1), spaced(secret), url, form].filter((writing) => writing !== "");
}

/** One line, each gap one space. */
export function spaced(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}

/** The number of layers of escaping that are removed. */
const LAYERS = 4;

/** The text with one, two and more layers of escaping removed; without the text itself. */
export function unescapings(text: string): string[] {
  if (!/[\\%&]/.test(text)) return [];
  const found: string[] = [];
  let current = text;
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const next = withoutLayer(current);
    if (next === current) break;
    found.push(next);
    current = next;
  }
  return found;
}

/**
 * The same for a text and for most of its encodings: JSON and hexadecimal escapes, percent and form encoding in both
 * cases, HTML entities, doubled quotes, composed and decomposed letters, one inside another. It is compared, never shown.
 */
export function normalForm(text: string): string {
  // The number of backslashes that remain depends on the number of layers.
  const letters = (unescapings(text).at(-1) ?? text)
    .replaceAll("\\", "")
    .replaceAll("+", " ")
    .replaceAll(/(["'])\1+/g, "$1");
  return spaced(withoutBytes(letters).normalize("NFD"));
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const ESCAPED: Readonly<Record<string, string>> = { b: " ", f: " ", n: " ", r: " ", t: " " };

function withoutLayer(text: string): string {
  return withoutBackslashes(withoutPercents(text))
    .replaceAll(/&#x0*([0-9a-f]{1,6});/gi, (entity, code: string) => charOf(Number.parseInt(code, 16), entity))
    .replaceAll(/&#0*(\d{1,7});/g, (entity, code: string) => charOf(Number(code), entity))
    .replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/gi, (entity, name: string) => NAMED[name.toLowerCase()] ?? entity);
}

/** In one pass: the backslash of `\\u0062` and the letter that it becomes are no `\b`. */
function withoutBackslashes(text: string): string {
  return text.replaceAll(
    /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([bfnrt"'/\\]))/gi,
    (_, unit: string | undefined, byte: string | undefined, char: string) => {
      const code = unit ?? byte;
      return code === undefined ? (ESCAPED[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16));
    },
  );
}

/** Go writes `ü` as `\xc3\xbc`, the bytes of UTF-8, and Python as `\xfc`: what can be read as the former is. */
function withoutBytes(text: string): string {
  let current = text.normalize("NFC");
  // A text that itself looks like bytes is read again, so that each writing of it ends in the same. A server could
  // make it as long as its answer.
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const read = current.replaceAll(UTF_8, (bytes) => Buffer.from(bytes, "latin1").toString("utf8"));
    if (read === current) break;
    current = read.normalize("NFC");
  }
  return current;
}

const UTF_8 = /[\u00c2-\u00df][\u0080-\u00bf]|[\u00e0-\u00ef][\u0080-\u00bf]{2}|[\u00f0-\u00f4][\u0080-\u00bf]{3}/g;

function charOf(code: number, otherwise: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}

function withoutPercents(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
}

/** Letters that can be base64 in either alphabet; shorter ones hold no secret that is looked for. */
const BASE64_RUN = /[\w+/-]{6,}/g;

/** Whether `isHit` recognizes the decoded text of a base64 part, at any offset, also behind percent encoding or JSON's `\/`. */
export function isInBase64(text: string, isHit: (decoded: string) => boolean): boolean {
  const plain = withoutPercents(text).replaceAll("\\", "");
  return [text, plain].some((one) => (one.match(BASE64_RUN) ?? []).some((run) => decodings(run).some(isHit)));
}

function decodings(run: string): string[] {
  return [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), "base64").toString("utf8"));
}
