// The document and the examples of test stacks: how little a first test needs.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(__dirname, "../..");
const read = (...names: string[]): string => readFileSync(path.join(root, ...names), "utf8");

const document = read("docs", "testing.md");
const blocks = [...document.matchAll(/```(?:ts|js)\n(.*?)```/gs)].map(([, code = ""]) => code);

test.each([
  ["the document", blocks[0] ?? ""],
  ["the example for vitest", read("examples", "testing", "test", "stack.vitest.ts")],
  ["the example for node:test", read("examples", "testing", "test", "stack.node.ts")],
])("%s: the first assertion needs at most 10 lines, imports included", (_name, code) => {
  const lines = code.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("//"));
  const first = lines.findIndex((line) => /^\s*(?:expect|assert)\b/.test(line));
  expect(first).toBeGreaterThan(0);
  expect(first + 1).toBeLessThanOrEqual(10);
});

test("the first test sets a limit of its own: that of vitest is too short", () => {
  const [, ms = ""] = /\n\}, ([\d_]+)\);/.exec(blocks[0] ?? "") ?? [];
  expect(Number(ms.replaceAll("_", ""))).toBeGreaterThanOrEqual(60_000);
});

test("the document's first test is the example's", () => {
  const body = (code: string): string => code.slice(code.indexOf('test("'), code.indexOf('toEqual(["resize"]);'));
  const example = body(read("examples", "testing", "test", "stack.vitest.ts"));
  expect(
    body(blocks[0] ?? "")
      .replace("./index.js", "../index.js")
      .replace(/ \/\/ or workDir.*/, ""),
  ).toBe(example);
});
