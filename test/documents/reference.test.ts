// The reference says what editors say.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { writeReference } from "../../scripts/docs/reference";

const root = path.join(__dirname, "..", "..");

test("docs/reference.md is as the sources are; `npm run docs` writes it", () => {
  expect(readFileSync(path.join(root, "docs", "reference.md"), "utf8")).toBe(writeReference(root));
});
