// Removes secrets from every text before it reaches an error, a row or a log line: as they are, in JSON, in percent and form
// encoding, in HTML, in base64, and where a text is cut by `…`. The plugin needs the last one: it learns of secret inputs only
// when the texts about them are made, and a long one may be the user's token in the wrong place.

import { percentEncoded } from "../../domain/endpoint";
import { oneLine, shortened } from "../../domain/values/printable";

const REDACTED = "[secret]";
const LONGEST = 300;

/** Returns the text without any of the secrets it was made for, and without bearer tokens. */
export type Redact = (text: string) => string;

/** The secrets known so far. There may be thousands, and most calls have no text to redact. */
export interface Secrets {
  add(secret: string): void;
  redact: Redact;
}

export function createSecrets(known: Iterable<string>): Secrets {
  const secrets = new Set(known);
  /** Secrets that are not indexed yet, because a run without errors has no text to redact. */
  let fresh = [...secrets];
  const finders = { written: createFinder(), encoded: createFinder() };
  /** Redacted texts by original, because the same text often repeats, such as that of a 404 after each delete. */
  const seen = new Map<string, string>();
  const lookFor = (secret: string): void => {
    for (const writing of writings(secret)) finders.written.add(writing);
    for (const letters of base64Letters(secret)) finders.encoded.add(letters);
  };
  return {
    add(secret) {
      if (secrets.has(secret)) return;
      secrets.add(secret);
      fresh.push(secret);
      seen.clear();
    },
    redact(text) {
      for (const secret of fresh) lookFor(secret);
      fresh = [];
      const before = seen.get(text);
      if (before !== undefined) return before;
      const clean = mask(text, finders);
      if (seen.size >= MOST_SEEN) seen.clear();
      if (text.length <= LONGEST) seen.set(text, clean);
      return clean;
    },
  };
}

const MOST_SEEN = 100;

/** How a secret is written within another text, the text itself included, so that the rest of it stays readable. */
function writings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const lines = [secret, json].flatMap((text) => [text, oneLine(text), spaced(text)]);
  return [...lines, percentEncoded(secret)].filter(({ length }) => length > 1);
}

const fromHex = (code: string): string => String.fromCharCode(Number.parseInt(code, 16));
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Each server escapes other characters, and may quote a request that it cannot read. */
const DECODERS: readonly ((text: string) => string)[] = [
  withoutJson,
  (text) => withoutJson(withoutJson(text)),
  withoutPercent,
  (text) => withoutPercent(text.replaceAll("+", " ")),
  (text) =>
    text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, code?: string, hex?: string, name = "") => {
      if (code !== undefined) return String.fromCharCode(Number(code));
      return hex === undefined ? (ENTITIES[name as string] ?? entity) : fromHex(hex);
    }),
];

function withoutJson(text: string): string {
  return text.replaceAll(/\\(?:u([\da-f]{4})|(.))/gi, (_, code?: string, one = "") =>
    code === undefined ? (CONTROLS[one as string] ?? (one as string)) : fromHex(code),
  );
}

function withoutPercent(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll("%", ""), "hex").toString());
}

/** Fewer letters occur in any text. */
const FEWEST_LETTERS = 6;

/**
 * What base64 has of a secret wherever it begins in the text that is encoded, such as `user:password`: the letters that
 * are made of it alone, in both alphabets.
 */
function base64Letters(secret: string): string[] {
  const bytes = Buffer.byteLength(secret);
  const letters = [0, 1, 2].map((offset) =>
    Buffer.from(" ".repeat(offset) + secret)
      .toString("base64")
      .slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes) * 8) / 6)),
  );
  const urls = letters.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...letters, ...urls].filter(({ length }) => length >= FEWEST_LETTERS);
}

interface Finders {
  /** Written forms, which are cut out. */
  written: Finder;
  /** Where such a one begins and ends is not known exactly, so a text with one of them is not shown at all. */
  encoded: Finder;
}

/** What follows the word; "Bearer token is missing" holds no secret, and says what is wrong. */
const BEARER =
  /\bBearer\s+(?!(?:tokens?|auth|authentication|authorization|scheme|credentials?|keys?)(?:[\s"'<>,;:.!?)]|$))[^\s"'<>,;]+/gi;

function mask(text: string, { written, encoded }: Finders): string {
  const masked = text.replaceAll(BEARER, `Bearer ${REDACTED}`);
  const longestFirst = written.in(masked).toSorted((a, b) => b.length - a.length);
  const cut = longestFirst.reduce((rest, form) => rest.replaceAll(form, REDACTED), masked);
  const isIn = (part: string): boolean => written.in(part).some((form) => !REDACTED.includes(form));
  // Removing one form can join the halves of another.
  if (
    isIn(cut) ||
    encoded.in(cut).length > 0 ||
    DECODERS.map((decode) => decode(cut)).some((plain) => plain !== cut && isIn(plain))
  )
    return REDACTED;
  const [last = "", ...before] = cut.split("…").toReversed();
  return before.reduceRight((shown, part) => `${shown}${withoutBeginning(part, written)}`, "") + last;
}

/** The text before a `…`, with it; if it ends with the beginning of a secret, without that. */
function withoutBeginning(part: string, written: Finder): string {
  const length = written.longestBeginning(part);
  return length < SHORTEST_BEGINNING ? `${part}…` : part.slice(0, part.length - length) + REDACTED;
}

const SHORTEST_BEGINNING = 4;

/** Finds which of many texts, of two letters or more, occur in another one, at a cost that does not grow with their number. */
interface Finder {
  add(form: string): void;
  in(text: string): string[];
  /** How many letters at the end of the text are the beginning of one of them. */
  longestBeginning(text: string): number;
}

function createFinder(): Finder {
  const byStart = new Map<number, Set<string>>();
  const startAt = (text: string, at: number): number => text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
  return {
    add(form) {
      byStart.set(startAt(form, 0), (byStart.get(startAt(form, 0)) ?? new Set()).add(form));
    },
    in(text) {
      const found = new Set<string>();
      for (let at = 0; at < text.length - 1; at++) {
        for (const form of byStart.get(startAt(text, at)) ?? []) if (text.startsWith(form, at)) found.add(form);
      }
      return [...found];
    },
    longestBeginning(text) {
      for (let at = 0; at < text.length - 1; at++) {
        const end = text.slice(at);
        for (const form of byStart.get(startAt(text, at)) ?? []) if (form.startsWith(end)) return end.length;
      }
      return 0;
    },
  };
}

/** One line, each gap one space. */
function spaced(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}

/** One line of at most 300 characters, secrets taken out before it is cut. */
export function excerpt(text: string, redact: Redact): string {
  return shortened(redact(spaced(redact(text))), LONGEST);
}
