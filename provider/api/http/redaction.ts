// Finds secrets in the texts of a server, in the writings that servers use. A text with one in it is not shown at all: nobody can
// know what else of the secret is in it.

import { oneLine, shortened } from "../../domain/values/printable";
import { show } from "../../domain/values/value";

const REDACTED = "[secret]";
const LONGEST = 300;
/** A shorter one would be found in words by chance. */
const SHORTEST = 4;

/** Returns the text, or a word in its place if it has one of the known secrets, or a bearer token. */
type Redact = (text: string) => string;

/** The secrets known so far. */
export interface Secrets {
  add(secret: string): void;
  redact: Redact;
  /** One line of at most 300 characters, looked through before it is cut. */
  excerpt: Redact;
}

export function createSecrets(known: readonly string[]): Secrets {
  const secrets = new Set<string>();
  const add = (secret: string): void => {
    if (secret.length >= SHORTEST) secrets.add(secret);
  };
  known.forEach(add);
  const redact: Redact = (text) => {
    const plain = [...new Set([text, ...DECODERS.map((decode) => decode(text))])];
    const isIn = (secret: string): boolean => plain.some((one) => one.includes(secret));
    return BEARER.test(text) || [...secrets].some(isIn) ? REDACTED : text;
  };
  const excerpt: Redact = (text) => {
    const line = redact(text)
      .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
      .trim();
    return shortened(redact(line), LONGEST);
  };
  return { add, redact, excerpt };
}

const charOf = (code: string, radix = 16): string =>
  String.fromCodePoint(Math.min(Number.parseInt(code, radix), 0x10ffff));
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Each server escapes other characters, and may quote a request that it cannot read. */
const DECODERS: readonly Redact[] = [
  withoutJson,
  (text) => withoutJson(withoutJson(text)),
  withoutPercent,
  (text) => withoutPercent(text.replaceAll("+", " ")),
  (text) =>
    text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, code?: string, hex?: string, name = "") => {
      if (code !== undefined) return charOf(code, 10);
      return hex === undefined ? (ENTITIES[name as string] ?? entity) : charOf(hex);
    }),
  // Where the encoded text begins in a run of letters is not known.
  ...[0, 1, 2, 3].map(
    (offset): Redact =>
      (text) =>
        text.replaceAll(/[\w+/-]{8,}/g, (run) => Buffer.from(run.slice(offset), "base64").toString()),
  ),
];

function withoutJson(text: string): string {
  return text.replaceAll(/\\(?:u([\da-f]{4})|(.))/gi, (_, code?: string, one = "") =>
    code === undefined ? (CONTROLS[one as string] ?? (one as string)) : charOf(code),
  );
}

function withoutPercent(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll("%", ""), "hex").toString());
}

/** What follows the word; "Bearer token is missing" holds no secret, and says what is wrong. */
const BEARER =
  /\bBearer\s+(?!(?:tokens?|auth|authentication|authorization|scheme|credentials?|keys?)(?:[\s"'<>,;:.!?)]|$))[^\s"'<>,;]/i;

/** Our own text about a program's values, without those that are secret: as they are, and as `show` writes them. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, oneLine(secret), show(secret).slice(1, -1)]);
  const longestFirst = forms.filter(({ length }) => length >= SHORTEST).toSorted((a, b) => b.length - a.length);
  const escaped = longestFirst.map((form) => form.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return escaped.length === 0 ? text : text.replaceAll(new RegExp(escaped.join("|"), "g"), REDACTED);
}
