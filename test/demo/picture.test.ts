// The picture of the README: text that can be read and copied wherever it is shown, from the program of the quick start.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { pictureOf } from "../../scripts/demo/picture.ts";

const root = path.join(__dirname, "..", "..");
const picture = readFileSync(path.join(root, "docs/resize.svg"), "utf8");

test("each line is text, in its place and whole, or cut where the picture ends", () => {
  const svg = pictureOf("a < b", ["$ pulumi preview", "", ` ~  "<&>"`, "x".repeat(200)]);
  expect(svg).toContain("<title>a &lt; b</title>");
  expect(svg).toContain('class="command">$ pulumi preview</text>');
  expect(svg).toContain('class="change"> ~  "&lt;&amp;&gt;"</text>');
  expect(svg).toMatch(/>x+…<\/text>/);
  const rows = Array.from(svg.matchAll(/<text x="\d+" y="(\d+)"/g), ([, y]) => Number(y));
  expect(rows).toHaveLength(3);
  expect(rows.map((y) => (y - (rows[0] ?? 0)) / 18)).toEqual([0, 2, 3]);
});

test("the one in the repository stands still, and shows the quick start's program, its preview and a query", () => {
  const texts = Array.from(picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g), ([, text = ""]) => text);
  const program = readFileSync(path.join(root, "examples/quickstart/index.js"), "utf8");
  const sized = program.replace("{ waitFor", "{ cpuMillis: 1000, memoryGbs: 4, waitFor");
  expect(texts).toEqual(expect.arrayContaining(sized.split("\n").filter(Boolean)));
  expect(texts.join("\n")).toMatch(/resize restarts the service\n[^]*\$ psql .*\n server_version\n-+\n \d+/);
  expect(picture).not.toMatch(/animat|keyframes|<(?:script|image|foreignObject)|visibility/);
});
