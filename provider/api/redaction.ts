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
  const forms = createFinder();
  const add = (secret: string): void => {
    if (secrets.has(secret)) return;
    secrets.add(secret);
    for (const form of formsOf(secret)) forms.add(form);
  };
  for (const secret of known) add(secret);
  return { add, redact: (text) => mask(text, forms) };
}

function mask(text: string, forms: Finder): string {
  const masked = text.replaceAll(/\bBearer\s+[^\s"'<>,;]+/gi, `Bearer ${REDACTED}`);
  const longestFirst = forms.in(masked).toSorted((a, b) => b.length - a.length);
  const clean = longestFirst.reduce((rest, form) => rest.replaceAll(form, REDACTED), masked);
  // Cutting one form out can join the halves of another.
  return forms.in(clean).some((form) => !REDACTED.includes(form)) ? REDACTED : clean;
}

/** Which of many texts occur in another: what it costs does not grow with their number. */
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
