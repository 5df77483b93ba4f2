// Whatever a server says, no secret that the client knows comes out again.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSecrets, withoutValues } from "../../../provider/api/http/redaction";
import { show } from "../../../provider/domain/values/value";

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
      const line = createSecrets([key, password]).excerpt(`${before}${form(password)}${form(key)}${after}`);
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
      const line = createSecrets(["abcdefgh-secret-12345678"]).excerpt("x".repeat(length) + "abcdefgh-secret-12345678");
      expect(line).not.toContain("abcd");
    }),
  );
});

test("a text with a secret in it is not shown at all, also one that holds more than one space", () => {
  expect(createSecrets(["abcdefgh", "abcdefgh-more"]).redact("x abcdefgh-more")).toBe("[secret]");
  const password = 'a  "long  password';
  expect(createSecrets([password]).excerpt(`no ${JSON.stringify({ password })}`)).toBe("[secret]");
});

test("a secret that becomes known later is found in words that were shown before", () => {
  const secrets = createSecrets(["abcdefgh-secret"]);
  const words = "what the server said: later-secret-1234";
  expect(secrets.redact(words)).toBe(words);
  secrets.add("later-secret-1234");
  expect(secrets.redact(words)).toBe("[secret]");
});

test("a text with somebody else's bearer token is not shown, one that says that a token is missing is", () => {
  const { redact } = createSecrets([]);
  for (const text of ["Bearer token is missing", "needs bearer authentication.", "no Bearer token"]) {
    expect(redact(text)).toBe(text);
  }
  for (const text of [
    'authorization: Bearer abc.def-ghi"',
    "BEARER  abc, next",
    "Bearer token-1",
    "Bearer tokenabc",
    "Bearer keys/9",
    "Bearer auth=abc",
  ]) {
    expect(redact(text)).toBe("[secret]");
  }
});

test("line breaks, control characters and invisible ones do not reach a log line", () => {
  expect(createSecrets([]).excerpt("a\r\nb\u001b[31m\u200b\u202ec\u0000d")).toBe("a b [31m c d");
});

const smallDigits = (text: string): string => text.replaceAll(/%../g, (code) => code.toLowerCase());
const form = (text: string): string => new URLSearchParams({ text }).toString();
const base64 = (text: string, encoding: "base64" | "base64url" = "base64"): string =>
  Buffer.from(text).toString(encoding);

const asciiJson = (text: string): string =>
  JSON.stringify(text).replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const ENCODERS: Record<string, (text: string) => string> = {
  JSON: (text) => JSON.stringify({ text }),
  "JSON of Go": (text) =>
    JSON.stringify(text).replaceAll(/[&<>]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify({ text })),
  "JSON of Python": asciiJson,
  "JSON of PHP": (text) => asciiJson(text).replaceAll("/", String.raw`\/`),
  HTML: (text) =>
    text.replaceAll(/[&<>"']/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;" })[char] ?? "&#x27;"),
  percent: encodeURIComponent,
  "percent of Python": (text) =>
    encodeURIComponent(text)
      .replaceAll("%2F", "/")
      .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`),
  "percent of Go": (text) => encodeURIComponent(text).replaceAll(/%(?:24|26|2B|3D|3A|40)/g, decodeURIComponent),
  "percent, small digits": (text) => smallDigits(encodeURIComponent(text)),
  form,
  "form, small digits": (text) => smallDigits(form(text)),
  base64: (text) => base64(text),
  base64url: (text) => base64(text, "base64url"),
  "user:password in base64": (text) => `Basic ${base64(`tsdbadmin:${text}`)}`,
  "an address in base64url": (text) => base64(`postgres://u:${text}@host/db`, "base64url"),
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
  .filter((text) => text.trim() === text);

test.each(Object.entries(ENCODERS))("a secret in another writing: %s", (_, encode) => {
  const around = fc.constantFrom(["", ""], ['{"detail":"', '"}'], ["value=", "; next"], ["<p>", "</p>"]);
  fc.assert(
    fc.property(awkwardSecret, around, (secret, [before = "", after = ""]) => {
      const { redact } = createSecrets(["another-secret-of-this-process", secret]);
      const line = redact(`${before}${encode(secret)}${after}`);
      expect(line).toBe("[secret]");
    }),
    { numRuns: 200 },
  );
});

test("our own text about the values of a program shows all but the secret ones, as they are and as JSON shows them", () => {
  const secrets = ["mars", 'pa"ss\nwörd', "x".repeat(200), "abc"];
  expect(withoutValues(`name "mars" is no ${JSON.stringify(secrets[1])}`, secrets)).toBe(
    'name "[secret]" is no "[secret]"',
  );
  expect(withoutValues(`given ${show({ name: secrets[2], tag: "mars" })}`, secrets)).toBe(
    'given {"name":"[secret]","tag":"[secret]"}',
  );
  expect(withoutValues("abc and marsh", secrets)).toBe("abc and [secret]h");
  expect(withoutValues("the secret is secret", ["secret"])).toBe("the [secret] is [secret]");
});

test("thousands of secrets are all looked for in one go", () => {
  const secrets = Array.from({ length: 5_000 }, (_, index) => `pässword-${index}-of-many`);
  const { redact } = createSecrets(secrets);
  for (const secret of [secrets[0], secrets[2_500], secrets.at(-1)]) {
    expect(redact(`Basic ${Buffer.from(`u:${secret}`).toString("base64url")}`)).toBe("[secret]");
    expect(redact(encodeURIComponent(secret ?? "").toLowerCase())).toBe("[secret]");
  }
});
