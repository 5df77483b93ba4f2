// The picture of the README: text that can be read and copied wherever it is shown, from the program of the quick start.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(__dirname, "..", "..");
const picture = readFileSync(path.join(root, "docs/resize.svg"), "utf8");

test("the one in the repository stands still, and shows the quick start's program, its preview and a query", () => {
  const texts = Array.from(picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g), ([, text = ""]) => text);
  const program = readFileSync(path.join(root, "examples/quickstart/index.js"), "utf8");
  const sized = program.replace("{ waitFor", "{ cpuMillis: 1000, memoryGbs: 4, waitFor");
  expect(texts).toEqual(expect.arrayContaining(sized.split("\n").filter(Boolean)));
  expect(texts.join("\n")).toMatch(/resize restarts the service\n[^]*\$ psql .*\n server_version\n-+\n \d+/);
  expect(picture).not.toMatch(/animat|keyframes|<(?:script|image|foreignObject)|visibility/);
});
