// What came from somewhere else steers no terminal, forges no line and runs no command, and means the same as before.

import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine, printable, shellWord } from "../../provider/domain/values/printable";
import { show } from "../../provider/domain/values/value";

/** Written apart from the code's own list: controls, separators, directions, half characters. */
// oxlint-disable-next-line no-control-regex
const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/u;

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("\u001b", "\u009b", "\u202e", "\n", "\r", "\t", "\ud800", "\u{e0041}", "a", '"', "\\"),
  }),
);

test("control characters are escaped, and a line stays one line", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(printable(text)).not.toMatch(STEERS);
      expect(oneLine(text)).not.toMatch(STEERS);
      expect(oneLine(text)).not.toMatch(/[\n\t]/);
      expect(show(text)).not.toMatch(STEERS);
    }),
  );
});

test("JSON and TypeScript read the same text out of it", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(JSON.parse(printable(JSON.stringify({ text })))).toEqual({ text });
      // oxlint-disable-next-line no-eval
      expect((0, eval)(printable(JSON.stringify(text)))).toBe(text);
    }),
  );
});

test.each([
  ["orders", "orders"],
  ["größe 数据库 👩‍👩‍👧 می‌خواهم", "größe 数据库 👩‍👩‍👧 می‌خواهم"],
  ["\u001b]0;title\u0007\u001b[2J", "\\u001b]0;title\\u0007\\u001b[2J"],
  ["a\nok      forged", "a\\nok      forged"],
  ["gpj.\u202eexe", "gpj.\\u202eexe"],
  ["\u009b2J\u007f", "\\u009b2J\\u007f"],
  ["hid\u200bden\ufeff\u{e0041}", "hid\\u200bden\\ufeff\\udb40\\udc41"],
  ["a\u3164b\u115fc\uffa0d\u034fe", "a\\u3164b\\u115fc\\uffa0d\\u034fe"],
  ["or\ufe00ders\ufe0f\u{e0100}", "or\\ufe00ders\\ufe0f\\udb40\\udd00"],
  ["up \u2764\ufe0f \u2601\ufe0f", "up \u2764\ufe0f \u2601\ufe0f"],
])("%j is %s", (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});

test("a quoted text is one word to the shell, whatever it contains", () => {
  const texts = [
    "svc1234567",
    "",
    "a b",
    "$(touch owned)",
    "`id`",
    "a'b",
    "';id;'",
    "-rf",
    "~root",
    "a;b|c&d>e",
    "é%2f?a=b#c",
    "*",
  ];
  for (const text of texts) {
    const said = execFileSync("/bin/sh", ["-c", `printf '<%s>' ${shellWord(text)}`], { encoding: "utf8" });
    expect(said).toBe(`<${text}>`);
  }
  expect(shellWord("svc1234567")).toBe("svc1234567");
  expect(shellWord("a\nid")).toBe("'a\\nid'");
});
