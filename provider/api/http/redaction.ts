// Removes secrets from every foreign text before it reaches an error or a log line.

import { isInBase64, normalForm, spaced, unescapings, writings } from "./encodings";

const REDACTED = "[redacted]";
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
  const finders = { written: createFinder(), normal: createFinder(), plain: createFinder() };
  /** Redacted texts by original, because the same text often repeats, such as that of a 404 after each delete. */
  const seen = new Map<string, string>();
  const lookFor = (secret: string): void => {
    for (const writing of writings(secret)) finders.written.add(writing);
    // Shorter values occur in any text.
    if (secret.length >= SHORTEST) finders.plain.add(secret);
    const normal = normalForm(secret);
    if (normal.length >= SHORTEST) finders.normal.add(normal);
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

/** Shorter secrets are searched in common forms only, and not in every encoding. */
const SHORTEST = 4;

interface Finders {
  /** The common written forms of secrets. Only these are cut out. */
  written: Finder;
  /** Normal forms: their position in a text is not known, so a text with one of them is not shown at all. */
  normal: Finder;
  plain: Finder;
}

/** What follows the word; "Bearer token is missing" holds no secret, and says what is wrong. */
const BEARER =
  /\bBearer\s+(?!(?:tokens?|auth|authentication|authorization|scheme|credentials?|keys?)(?:[\s"'<>,;:.!?)]|$))[^\s"'<>,;]+/gi;

function mask(text: string, { written, normal, plain }: Finders): string {
  const masked = text.replaceAll(BEARER, `Bearer ${REDACTED}`);
  const longestFirst = written.in(masked).toSorted((a, b) => b.length - a.length);
  const cut = longestFirst.reduce((rest, form) => rest.replaceAll(form, REDACTED), masked);
  const isSecret = (form: string): boolean => !REDACTED.includes(form);
  // Removing one form can join the halves of another.
  if (written.in(cut).some(isSecret)) return REDACTED;
  const isHit = (decoded: string): boolean => plain.in(decoded).length > 0 || normal.in(normalForm(decoded)).length > 0;
  // The normal form of a secret that itself reads like an escape may be too short to be looked for.
  const isEscaped = unescapings(cut).some((layer) => plain.in(layer).some(isSecret));
  const isHidden = isEscaped || normal.in(normalForm(cut)).some(isSecret) || isInBase64(cut, isHit);
  return isHidden ? REDACTED : cut;
}

/** Finds which of many texts occur in another one, at a cost that does not grow with their number. */
interface Finder {
  add(form: string): void;
  in(text: string): string[];
}

function createFinder(): Finder {
  const single = new Set<string>();
  const byStart = new Map<number, Set<string>>();
  const startAt = (text: string, at: number): number => text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
  return {
    add(form) {
      if (form.length === 1) single.add(form);
      else byStart.set(startAt(form, 0), (byStart.get(startAt(form, 0)) ?? new Set()).add(form));
    },
    in(text) {
      const found = new Set([...single].filter((form) => text.includes(form)));
      for (let at = 0; at < text.length - 1; at++) {
        for (const form of byStart.get(startAt(text, at)) ?? []) if (text.startsWith(form, at)) found.add(form);
      }
      return [...found];
    },
  };
}

/** One line of at most 300 characters, secrets taken out before it is cut. */
export function excerpt(text: string, redact: Redact): string {
  const line = redact(spaced(redact(text)));
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
