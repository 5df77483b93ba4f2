// Keeps secrets out of every text that came from somewhere else before it reaches an error or a log line.

const REDACTED = "[redacted]";
const LONGEST = 300;

/** Returns the text without any of the secrets it was made for, and without bearer tokens. */
export type Redact = (text: string) => string;

export function redactor(secrets: Iterable<string>): Redact {
  return createSecrets(secrets).redact;
}

/** The secrets known so far: there may be thousands, and most calls have no text to free of them. */
export interface Secrets {
  add(secret: string): void;
  redact: Redact;
}

export function createSecrets(known: Iterable<string>): Secrets {
  const secrets = new Set<string>();
  const forms = new Set<string>();
  let longestFirst: readonly string[] | undefined;
  const add = (secret: string): void => {
    if (secrets.has(secret)) return;
    secrets.add(secret);
    for (const form of formsOf(secret)) forms.add(form);
    longestFirst = undefined;
  };
  for (const secret of known) add(secret);
  return {
    add,
    redact: (text) => {
      longestFirst ??= [...forms].toSorted((a, b) => b.length - a.length);
      return mask(text, longestFirst);
    },
  };
}

function mask(text: string, forms: readonly string[]): string {
  const masked = text.replaceAll(/\bBearer\s+[^\s"'<>,;]+/gi, `Bearer ${REDACTED}`);
  const clean = forms.reduce((rest, form) => rest.replaceAll(form, REDACTED), masked);
  // Cutting one form out can join the halves of another.
  return forms.some((form) => clean.includes(form) && !REDACTED.includes(form)) ? REDACTED : clean;
}

/** A secret may come back escaped the way the text around it is. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const spaced = oneLine(secret);
  const url = isWellFormed(secret) ? encodeURIComponent(secret) : secret;
  const base64 = Buffer.from(secret).toString("base64").replaceAll("=", "");
  const forms = [secret, json, url, spaced, base64, secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;")];
  return forms.filter((form) => form !== "");
}

/** Half a surrogate pair cannot be encoded. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

/** One line of at most 300 characters, secrets taken out before it is cut. */
export function excerpt(text: string, redact: Redact): string {
  const line = redact(oneLine(redact(text)));
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}
