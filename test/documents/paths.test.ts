// Every file and folder that the documents name is there.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(__dirname, "..", "..");
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
/** The first part of a path that means this repository. What `dist` and `node_modules` hold is made, not kept. */
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && ![".git", "dist", "node_modules"].includes(entry.name))
  .map(({ name }) => name);

/** Paths from the root: in backticks as the text says them, in links from the document's own folder. */
function pathsIn(document: string, text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, word = ""]) => word).filter(isPath);
  const linked = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target.replace(/#.*$/, ""))
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
    .map((target) => path.posix.join(path.posix.dirname(document), target));
  return [...quoted, ...linked];
}

function isPath(word: string): boolean {
  const [first = "", ...rest] = word.split("/");
  const isInFolder = rest.length > 0 && folders.includes(first);
  return isInFolder || /^[\w.-]+\.(?:md|json|mts)$/.test(word);
}

/** A module may be named without its ending, and a pattern names the folder before its first star. */
function exists(named: string): boolean {
  const file = path.join(root, named.replace(/(?:^|\/)[^/]*\*.*$/, ""));
  return existsSync(file) || existsSync(`${file}.ts`);
}

test.each(documents)("%s", (document) => {
  const named = pathsIn(document, readFileSync(path.join(root, document), "utf8"));
  expect(named.filter((one) => !exists(one))).toEqual([]);
});

test("paths are recognized", () => {
  const text =
    "`provider/nothing.ts` `pulumi-dbcloud/nothing` `up --yes` [a](nothing.md) [b](https://c.d) `nothing.json`";
  const named = pathsIn("docs/a.md", text);
  expect(named).toEqual(["provider/nothing.ts", "nothing.json", "docs/nothing.md"]);
  expect(named.filter(exists)).toEqual([]);
  expect(["provider/host", "docs/*.md", "README.md"].every(exists)).toBe(true);
});

test("the changelog's newest release is the version of the package", () => {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  const headings = [...readFileSync(path.join(root, "CHANGELOG.md"), "utf8").matchAll(/^## (.*)$/gm)];
  expect(headings.map(([, title]) => title).find((title) => title !== "Unreleased")).toBe(version);
});
