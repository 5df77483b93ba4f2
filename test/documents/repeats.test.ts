// What the documents say of sending again is what the sources do.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operationList } from "../../provider/api/operations";
import { BACKOFF, BUDGET, repeats } from "../../provider/api/http/retry";
import { writeRepeats } from "../../scripts/docs/repeats";

const file = path.join(__dirname, "..", "..", "docs", "reliability.md");

test("docs/reliability.md has the table of repeats as the sources are; `npm run docs` writes it", () => {
  const document = readFileSync(file, "utf8");
  expect(writeRepeats(document, { operationList, repeats, BACKOFF, BUDGET })).toBe(document);
});
