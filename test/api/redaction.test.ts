// Whatever a server says, no secret that the client knows comes out again.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { excerpt, redactor } from "../../provider/api/redaction";

const secretText = fc
  .string({ unit: "grapheme", minLength: 8, maxLength: 40 })
  .filter((text) => text.trim().length >= 8);

test("a secret anywhere in a text, as it is or escaped", () => {
  const wrap = fc.constantFrom(
    (secret: string) => secret,
    (secret: string) => JSON.stringify({ password: secret }),
    (secret: string) => JSON.stringify(JSON.stringify(secret)),
    (secret: string) => `https://x/?p=${encodeURIComponent(secret)}`,
    (secret: string) => Buffer.from(secret).toString("base64"),
    (secret: string) => secret + secret,
    (secret: string) => secret.slice(0, 4) + secret + secret.slice(4),
  );
  fc.assert(
    fc.property(secretText, secretText, wrap, fc.string(), fc.string(), (key, password, form, before, after) => {
      const redact = redactor([key, password]);
      const line = excerpt(`${before}${form(password)}${form(key)}${after}`, redact);
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
      const line = excerpt("x".repeat(length) + "abcdefgh-secret-12345678", redactor(["abcdefgh-secret-12345678"]));
      expect(line).not.toContain("abcd");
    }),
  );
});

test("a secret that begins with another, and one that is escaped and holds more than one space", () => {
  expect(redactor(["abcdefgh", "abcdefgh-more"])("x abcdefgh-more")).toBe("x [redacted]");
  const password = 'a  "long  password';
  expect(excerpt(JSON.stringify({ password }), redactor([password]))).toBe('{"password":"[redacted]"}');
});

test("bearer tokens of others", () => {
  const redact = redactor([]);
  expect(redact('authorization: Bearer abc.def-ghi"')).toBe('authorization: Bearer [redacted]"');
  expect(redact("BEARER  abc, next")).toBe("Bearer [redacted], next");
});

test("a text without secrets stays as it is", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/bearer/i.test(text) && !text.includes("0123456789"));
      expect(redactor(["0123456789", ""])(text)).toBe(text);
    }),
  );
});

test("line breaks, control characters and invisible ones do not reach a log line", () => {
  expect(excerpt("a\r\nb\u001b[31m\u200b\u202ec\u0000d", redactor([]))).toBe("a b [31m c d");
});
