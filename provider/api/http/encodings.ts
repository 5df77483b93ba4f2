// The encodings in which a server can return a text: what each makes of it, and one normal form that is the same for most
// of them.

/** How a secret may be written within another text, the text itself included. */
export function writings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const url = isWellFormed(secret) ? encodeURIComponent(secret) : secret;
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  const lower = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const base64 = Buffer.from(secret).toString("base64").replaceAll("=", "");
  return [
    secret,
    json,
    escapeAs(json, /[^ -~]|[&<>']/g),
    spaced(secret),
    url,
    lower(url),
    form,
    lower(form),
    base64,
    Buffer.from(secret).toString("base64url"),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
    html(secret, "&#39;"),
    html(secret, "&#x27;"),
    html(secret, "&apos;"),
    secret.replaceAll('"', '""'),
    secret.replaceAll("'", "''"),
    secret.normalize("NFC"),
    secret.normalize("NFD"),
  ].filter((writing) => writing !== "");
}

function escapeAs(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function html(text: string, apostrophe: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": apostrophe,
  };
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}

/** Half a surrogate pair cannot be encoded. */
function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

/** One line, each gap one space. */
export function spaced(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}

/** The number of layers of escaping that are removed. */
const LAYERS = 4;

/** What comes to light when one layer of escaping after the other is removed, the text itself not included. */
export function unescapings(text: string): string[] {
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
 * The same for a text and for most of its encodings: JSON escapes, percent and form encoding in both cases, HTML
 * entities, doubled quotes, composed and decomposed letters, one inside another. It is compared, never shown.
 */
export function normalForm(text: string): string {
  // The number of backslashes that remain depends on the number of layers.
  return spaced(
    (unescapings(text).at(-1) ?? text)
      .replaceAll("\\", "")
      .replaceAll("+", " ")
      .replaceAll(/(["'])\1+/g, "$1")
      .normalize("NFD"),
  );
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const ESCAPED: Readonly<Record<string, string>> = { b: " ", f: " ", n: " ", r: " ", t: " " };

function withoutLayer(text: string): string {
  return withoutPercents(text)
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\([bfnrt"'/\\])/g, (_, char: string) => ESCAPED[char] ?? char)
    .replaceAll(/&#x([0-9a-f]{1,6});/gi, (entity, code: string) => charOf(Number.parseInt(code, 16), entity))
    .replaceAll(/&#(\d{1,7});/g, (entity, code: string) => charOf(Number(code), entity))
    .replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/gi, (entity, name: string) => NAMED[name.toLowerCase()] ?? entity);
}

function charOf(code: number, otherwise: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}

function withoutPercents(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
}

/** Letters that can be base64 in either alphabet; shorter ones hold no secret that is looked for. */
const BASE64_RUN = /[\w+/-]{6,}/g;

/** Replaces the base64 parts whose decoded text `isHit` recognizes, at any offset. */
export function replaceBase64(text: string, isHit: (decoded: string) => boolean, replacement: string): string {
  return text.replaceAll(BASE64_RUN, (run) => (decodings(run).some(isHit) ? replacement : run));
}

/** The same behind percent encoding or JSON's `\/`. */
export function isInHiddenBase64(text: string, isHit: (decoded: string) => boolean): boolean {
  const plain = withoutPercents(text).replaceAll("\\", "");
  return plain !== text && (plain.match(BASE64_RUN) ?? []).some((run) => decodings(run).some(isHit));
}

function decodings(run: string): string[] {
  return [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), "base64").toString("utf8"));
}
