// What the documents say of the engine's calls is what was recorded.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newestCalls, writeEngineCalls } from "../../scripts/docs/engineCalls";

const root = path.join(__dirname, "..", "..");

test("docs/reliability.md has the table of calls as they were recorded; `npm run docs` writes it", () => {
  const document = readFileSync(path.join(root, "docs", "reliability.md"), "utf8");
  expect(writeEngineCalls(document, newestCalls(root))).toBe(document);
});
