import { expect, test } from "vitest";
import { inWords } from "../../provider/domain/values/value";

test.each([
  [{ host: "a.example", port: 5432 }, "a.example:5432"],
  [{ host: "a.example", port: 5432, vpcId: "96544" }, "a.example:5432"],
  [{ endpoint: { host: "pool.example", port: 6432 } }, "pool.example:6432"],
  [{ host: "a\n.example" }, String.raw`a\n.example`],
  [{ other: 1 }, '{"other":1}'],
  [["ai"], '["ai"]'],
  ["PROD", '"PROD"'],
  [4000, "4000"],
  [null, "nothing"],
  [undefined, "nothing"],
])("%j is %s", (value, words) => {
  expect(inWords(value)).toBe(words);
});
