// The pictures of the docs: that of the README is text that can be read and copied wherever it is shown; each is used, in light
// and dark where there are two, and says in words what it shows.

import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root, textOf } from "../support/repository";

test("that of the README stands still, and shows the quick start's program, its preview and a query", () => {
  const picture = textOf("docs/pictures/quickstart.svg");
  const texts = Array.from(picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g), ([, text = ""]) => text);
  const sized = textOf("examples/quickstart/index.js").replace("{ waitFor", "{ cpuMillis: 1000, memoryGbs: 4, waitFor");
  expect(texts).toEqual(expect.arrayContaining(sized.split("\n").filter(Boolean)));
  expect(texts.join("\n")).toMatch(/resize restarts the service\n[^]*\$ psql .*\n server_version\n-+\n \d+/);
  expect(picture).not.toMatch(/animat|keyframes|<(?:script|image|foreignObject)|visibility/);
});

test("each picture is shown with a text in its place, and nothing else is kept", () => {
  const pages = ["README.md", ...readdirSync(path.join(root, "docs")).map((name) => `docs/${name}`)];
  const markdown = pages
    .filter((file) => file.endsWith(".md"))
    .map((file) => textOf(file))
    .join("\n");
  const shown = [
    ...markdown.matchAll(/!\[([^\]]*)\]\((?:docs\/)?pictures\/([\w-]+\.\w+)\)/g),
    ...markdown.matchAll(/<img alt="([^"]*)" src="pictures\/([\w-]+\.\w+)"/g),
  ];
  for (const [, words = ""] of shown) expect(words.length).toBeGreaterThan(30);
  const dark = Array.from(
    markdown.matchAll(/media="\(prefers-color-scheme: dark\)" srcset="pictures\/([\w-]+\.png)"/g),
    ([, file]) => file,
  );
  const names = [...shown.map(([, , file]) => file), ...dark];
  expect(new Set(names)).toEqual(new Set(readdirSync(path.join(root, "docs", "pictures"))));
});
