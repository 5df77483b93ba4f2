// Every file, folder and heading that the documents name is there, and the README stays short.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root, textOf } from "../support/repository";

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "examples"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
      .map((name) => path.posix.join(folder, name)),
  ),
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
  const named = pathsIn(document, textOf(document));
  expect(named.filter((one) => !exists(one))).toEqual([]);
});

test("each name that the architecture gives with its file is there", () => {
  const text = textOf("ARCHITECTURE.md");
  const pairs = [...text.matchAll(/`(\w+)`(?:, in| in| \()\s*`([\w/.]+\.ts)`/g)].map(([, name = "", file = ""]) => ({
    name,
    file,
  }));
  expect(pairs.length).toBeGreaterThan(20);
  const isThere = ({ name, file }: { name: string; file: string }): boolean =>
    new RegExp(String.raw`\b${name}\b`).test(textOf(file));
  expect(pairs.filter((pair) => !isThere(pair))).toEqual([]);
});

test("paths are recognized", () => {
  const text =
    "`provider/nothing.ts` `pulumi-dbcloud/nothing` `up --yes` [a](nothing.md) [b](https://c.d) `nothing.json`";
  const named = pathsIn("docs/a.md", text);
  expect(named).toEqual(["provider/nothing.ts", "nothing.json", "docs/nothing.md"]);
  expect(named.filter(exists)).toEqual([]);
  expect(["provider/host", "docs/*.md", "README.md"].every(exists)).toBe(true);
});

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(text: string): string[] {
  const withoutCode = text.replaceAll(/^```[^]*?^```/gm, "");
  return [...withoutCode.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test.each(documents)("the anchors that %s links to", (document) => {
  const text = textOf(document);
  const dead = [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g)].filter(([, file = "", anchor = ""]) => {
    const target = file === "" ? document : path.posix.join(path.posix.dirname(document), file);
    return !anchorsOf(textOf(target)).includes(anchor);
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});

test("the README has at most 900 words, and each page is linked there, or from a page that is", () => {
  const text = textOf("README.md");
  expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(900);
  const linked = pathsIn("README.md", text);
  const next = linked.filter((one) => /^docs\/.*\.md$/.test(one)).flatMap((page) => pathsIn(page, textOf(page)));
  expect(pages.filter((page) => ![...linked, ...next].includes(page))).toEqual([]);
});

/** What the package carries. Its pages are for users, and lead nowhere else. */
const packaged = documents.filter(
  (one) => !/^(?:ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/internals\/|^examples\/demo\//.test(one),
);
const pages = packaged.filter((one) => one.startsWith("docs/"));
/** Words have a letter or a digit: the lines of tables are none. */
const wordsIn = (document: string): number => textOf(document).match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

test.each(packaged)("%s links to what the package carries, or to the web", (document) => {
  const linked = [...textOf(document).matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)]
    .map(([, target = ""]) => path.posix.join(path.posix.dirname(document), target))
    .filter(
      (target) =>
        !(
          packaged.includes(target) ||
          /^(?:examples\/|docs\/(?:pictures\/\w+\.svg|page\.schema\.json)$|LICENSE$)/.test(target)
        ),
    );
  expect(linked).toEqual([]);
});

test.each(pages)("%s tells nothing of how this repository is worked on", (page) => {
  expect(textOf(page).match(/`(?:test|scripts|provider|bench)\/[^`]*`|\bnpm (?:run|test|start)\b/g) ?? []).toEqual([]);
});

/** In these one looks something up. */
const CATALOGUES = ["docs/errors.md", "docs/reference.md"];

test.each(pages.filter((page) => !CATALOGUES.includes(page)))("%s is short enough to be read as a whole", (page) => {
  expect(wordsIn(page)).toBeLessThanOrEqual(1250);
});

test("README and the pages have at most 19,000 words", () => {
  expect(["README.md", ...pages].map(wordsIn).reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(19_000);
});

test("the changelog's newest release is the version of the package", () => {
  const { version } = JSON.parse(textOf("package.json")) as { version: string };
  const headings = [...textOf("CHANGELOG.md").matchAll(/^## (.*)$/gm)];
  expect(headings.map(([, title]) => title).find((title) => title !== "Unreleased")).toBe(version);
});
