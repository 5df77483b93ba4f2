// Whatever a server says, no secret that the client knows comes out again.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSecrets, excerpt } from "../../../provider/api/http/redaction";

const secretText = fc
  .string({ unit: "grapheme", minLength: 8, maxLength: 40 })
  .filter((text) => text.trim().length >= 8);

test("a secret in a line of any text is not shown, nor a part of two", () => {
  const wrap = fc.constantFrom(
    (secret: string) => secret,
    (secret: string) => secret + secret,
    (secret: string) => secret.slice(0, 4) + secret + secret.slice(4),
  );
  fc.assert(
    fc.property(secretText, secretText, wrap, fc.string(), fc.string(), (key, password, form, before, after) => {
      const line = excerpt(`${before}${form(password)}${form(key)}${after}`, createSecrets([key, password]).redact);
      expect(line).not.toContain(key);
      expect(line).not.toContain(password);
      expect(line.length).toBeLessThanOrEqual(300);
    }),
    { numRuns: 500 },
  );
});

test("a secret is not cut in half by the length of an excerpt", () => {
  fc.assert(
    fc.property(fc.integer({ min: 250, max: 310 }), (length) => {
      const line = excerpt(
        "x".repeat(length) + "abcdefgh-secret-12345678",
        createSecrets(["abcdefgh-secret-12345678"]).redact,
      );
      expect(line).not.toContain("abcd");
    }),
  );
});

test("a secret that begins with another, and one that is escaped and holds more than one space", () => {
  expect(createSecrets(["abcdefgh", "abcdefgh-more"]).redact("x abcdefgh-more")).toBe("x [redacted]");
  const password = 'a  "long  password';
  expect(excerpt(JSON.stringify({ password }), createSecrets([password]).redact)).toBe('{"password":"[redacted]"}');
});

test("a secret that becomes known later, in words that were shown before", () => {
  const secrets = createSecrets(["abcdefgh-secret"]);
  const words = "what the server said: later-secret-1234";
  expect(secrets.redact(words)).toBe(words);
  secrets.add("later-secret-1234");
  for (let time = 0; time < 2; time += 1) expect(secrets.redact(words)).toBe("what the server said: [redacted]");
});

test("bearer tokens of others", () => {
  const { redact } = createSecrets([]);
  expect(redact('authorization: Bearer abc.def-ghi"')).toBe('authorization: Bearer [redacted]"');
  expect(redact("BEARER  abc, next")).toBe("Bearer [redacted], next");
  for (const text of ["Bearer token is missing", "needs bearer authentication.", "no Bearer token"]) {
    expect(redact(text)).toBe(text);
  }
  for (const text of ["Bearer token-1", "Bearer tokenabc", "Bearer keys/9", "Bearer auth=abc"]) {
    expect(redact(text)).toBe("Bearer [redacted]");
  }
});

test("line breaks, control characters and invisible ones do not reach a log line", () => {
  expect(excerpt("a\r\nb\u001b[31m\u200b\u202ec\u0000d", createSecrets([]).redact)).toBe("a b [31m c d");
});

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
const unitsOf = (text: string): number[] => [...Array(text.length).keys()].map((at) => text.charCodeAt(at));
const bytesOf = (text: string): number[] => [...Buffer.from(text)];

const unicodeEscapes = (text: string): string =>
  unitsOf(text)
    .map((code) => `\\u${hex(code, 4)}`)
    .join("");
const entities = (text: string, form: (code: number, at: number) => string): string =>
  Array.from(text, (char, at) => form(char.codePointAt(0) ?? 0, at)).join("");
const percentBytes = (text: string): string =>
  bytesOf(text)
    .map((code) => `%${hex(code, 2)}`)
    .join("");
const smallDigits = (text: string): string => text.replaceAll(/%../g, (code) => code.toLowerCase());
const form = (text: string): string => new URLSearchParams({ text }).toString();
const base64 = (text: string, encoding: "base64" | "base64url" = "base64"): string =>
  Buffer.from(text).toString(encoding);
const named: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const ENCODERS: Record<string, (text: string) => string> = {
  "JSON, every letter escaped": unicodeEscapes,
  "JSON, every letter escaped, large digits": (text) =>
    unicodeEscapes(text).replaceAll(/u..../g, (code) => `u${code.slice(1).toUpperCase()}`),
  "JSON, HTML-safe": (text) =>
    JSON.stringify(text).replaceAll(/[&<>'\u0080-\uffff]/g, (char) => `\\u${hex(char.charCodeAt(0), 4)}`),
  "JSON, every letter escaped, in JSON": (text) => JSON.stringify(unicodeEscapes(text)),
  "hexadecimal escapes": (text) => percentBytes(text).replaceAll("%", "\\x"),
  "hexadecimal escapes of letters": (text) =>
    unitsOf(text)
      .map((code) => (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`))
      .join(""),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify({ text })),
  "JSON with escaped slashes": (text) => JSON.stringify(text).replaceAll("/", "\\/"),
  "percent, small digits": (text) => smallDigits(encodeURIComponent(text)),
  "percent, every byte": percentBytes,
  "percent, twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  form,
  "form, small digits": (text) => smallDigits(form(text)),
  "doubled quotes": (text) => text.replaceAll(/["']/g, (quote) => quote + quote),
  "HTML, named": (text) => text.replaceAll(/[&<>"']/g, (char) => named[char] ?? char),
  "HTML, decimal": (text) => entities(text, (code) => `&#${code};`),
  "HTML, hexadecimal": (text) => entities(text, (code) => `&#x${hex(code, 2)};`),
  "HTML, zero-padded": (text) =>
    entities(text, (code, at) => (at % 2 === 0 ? `&#x${hex(code, 8)};` : `&#${String(code).padStart(9, "0")};`)),
  base64: (text) => base64(text),
  base64url: (text) => base64(text, "base64url"),
  "user:password in base64": (text) => `Basic ${base64(`tsdbadmin:${text}`)}`,
  "an address in base64url": (text) => base64(`postgres://u:${text}@host/db`, "base64url"),
  "base64 in a query": (text) => encodeURIComponent(base64(`u:${text}`)),
  decomposed: (text) => text.normalize("NFD"),
  composed: (text) => text.normalize("NFC"),
  "decomposed, percent": (text) => encodeURIComponent(text.normalize("NFD")),
};

const awkwardSecret = fc
  .oneof(
    secretText,
    fc.string({
      unit: fc.constantFrom("&", '"', "'", "<", "/", "ü", "u\u0308", "+", "%", "\\", "a", "4", "1", " "),
      minLength: 8,
      maxLength: 30,
    }),
  )
  // What is nothing but quotes, gaps and backslashes has no normal form to look for.
  .filter((text) => text.trim() === text && text.replaceAll(/["'\\\s+]/g, "").length >= 6);

test.each(Object.entries(ENCODERS))("a secret in another writing: %s", (_, encode) => {
  const around = fc.constantFrom(["", ""], ['{"detail":"', '"}'], ["value=", "; next"], ["<p>", "</p>"]);
  fc.assert(
    fc.property(awkwardSecret, around, (secret, [before = "", after = ""]) => {
      const { redact } = createSecrets(["another-secret-of-this-process", secret]);
      const line = redact(`${before}${encode(secret)}${after}`);
      expect(line).toContain("[redacted]");
      expect(line).not.toContain(encode(secret));
      expect(line).not.toContain(secret);
    }),
    { numRuns: 200 },
  );
});

test("what is around a common writing stays readable", () => {
  const { redact } = createSecrets(['pa"ss/wörd']);
  expect(redact('{"p":"pa\\"ss/wörd"} was wrong')).toBe('{"p":"[redacted]"} was wrong');
  expect(redact("p=pa%22ss%2Fw%C3%B6rd&q=1")).toBe("p=[redacted]&q=1");
  // In any other writing nobody can tell where it is.
  expect(redact("<b>pa&quot;ss/wörd</b>")).toBe("[redacted]");
  expect(redact(`Basic ${Buffer.from('admin:pa"ss/wörd').toString("base64")} was wrong`)).toBe("[redacted]");
  expect(redact("x p&#97;&quot;ss%2Fwo%CC%88rd")).toBe("[redacted]");
  expect(redact("x p&#97;&quot;ss%2Fw&ouml;rd")).toBe("x p&#97;&quot;ss%2Fw&ouml;rd");
});

test("thousands of secrets are all looked for in one go", () => {
  const secrets = Array.from({ length: 5_000 }, (_, index) => `pässword-${index}-of-many`);
  const { redact } = createSecrets(secrets);
  for (const secret of [secrets[0], secrets[2_500], secrets.at(-1)]) {
    expect(redact(`Basic ${Buffer.from(`u:${secret}`).toString("base64url")}`)).toBe("[redacted]");
    expect(redact(encodeURIComponent(secret ?? "").toLowerCase())).toBe("[redacted]");
  }
});
