// Which versions count as new enough.
import { expect, test } from "vitest";
import { isAtLeast, parseVersion } from "../../scripts/setup/versions.mjs";

test.each([
  ["v22.19.0", ">=22.19.0", true],
  ["v22.18.9", ">=22.19.0", false],
  ["v23.0.0", ">=22.19.0", true],
  ["v20.20.2", ">=22.19.0", false],
  ["v3.254.0", "3.254.0", true],
  ["3.1000.0", "3.254.0", true],
  ["v4.0.0-alpha.1", "3.254.0", true],
  ["v2.999.0", "3.254.0", false],
  ["go version go1.26.8 linux/amd64", "1.26.0", true],
  ["go version go1.9.7 linux/amd64", "1.26.0", false],
  ["go version go1.20 linux/amd64", "1.26.0", false],
  ["nothing to read here", "3.254.0", false],
  ["", "3.254.0", false],
])("%s against %s: %s", (version, minimum, expected) => {
  expect(isAtLeast(version, minimum)).toBe(expected);
});

test("the first version in a text is the one meant", () => {
  expect(parseVersion("v3.259.0\nwarning: 3.260.1 is available\n")).toEqual([3, 259, 0]);
  expect(parseVersion("dev")).toBeUndefined();
});
