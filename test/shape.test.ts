// The shape of the source: no circles, no long chains of imports, and nothing too long to read at once. Read from the files
// themselves, so that a new file is held to it too.

import path from "node:path";
import { describe, expect, test } from "vitest";
import { circlesOf, functionsIn, importedFiles, loadedAtOnce, longestChain, sourcesIn } from "./support/sources";

const LONGEST_FILE = 250;
const LONGEST_FUNCTION = 45;
const LARGEST_FOLDER = 16;
/** Files of the lifecycle that are read, one after the other, to follow one call to its end. */
const LONGEST_CHAIN = 6;
/** The same with files that are read for their types alone. */
const LONGEST_CHAIN_WITH_TYPES = 7;

const sources = [...sourcesIn("provider"), ...sourcesIn("emulator"), ...sourcesIn("testing")];
const measured = [...sources, ...sourcesIn("test")];

describe("imports", () => {
  test("no circle of imports, types included", () => {
    const circles = circlesOf(new Map(sources.map((source) => [source.file, importedFiles(source, sources)])));
    expect(circles).toEqual([]);
  });

  test("no circle goes unseen", () => {
    const circles = circlesOf(
      new Map([
        ["a", ["b"]],
        ["b", ["c", "d"]],
        ["c", ["a"]],
        ["d", ["e"]],
        ["e", ["e"]],
      ]),
    );
    expect(circles).toEqual([["a", "b", "c"], ["e"]]);
  });

  const lifecycle = sources.filter(({ layer }) => layer === "provider/lifecycle");

  test(`no chain of more than ${LONGEST_CHAIN} files that load each other in the lifecycle`, () => {
    const chain = longestChain(new Map(lifecycle.map((source) => [source.file, loadedAtOnce(source)])));
    expect(chain.length).toBeGreaterThan(1);
    expect(chain.slice(LONGEST_CHAIN)).toEqual([]);
  });

  test(`no chain of more than ${LONGEST_CHAIN_WITH_TYPES} of them, types included`, () => {
    const chain = longestChain(new Map(lifecycle.map((source) => [source.file, importedFiles(source, lifecycle)])));
    expect(chain.length).toBeGreaterThan(LONGEST_CHAIN);
    expect(chain.slice(LONGEST_CHAIN_WITH_TYPES)).toEqual([]);
  });
});

describe("sizes", () => {
  test(`no file over ${LONGEST_FILE} lines`, () => {
    const lengths = measured.map(({ file, text }) => ({ file, lines: text.trimEnd().split("\n").length }));
    expect(lengths.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([]);
  });

  test(`no folder with more than ${LARGEST_FOLDER} files of its own`, () => {
    const files = new Map<string, number>();
    for (const { file } of measured)
      files.set(path.posix.dirname(file), (files.get(path.posix.dirname(file)) ?? 0) + 1);
    const large = [...files].filter(([, count]) => count > LARGEST_FOLDER).map(([folder]) => folder);
    expect(large.toSorted()).toEqual([]);
  });

  test(`no function over ${LONGEST_FUNCTION} lines`, () => {
    const functions = sources.flatMap(functionsIn);
    expect(functions.length).toBeGreaterThan(500);
    expect(functions.filter(({ lines }) => lines > LONGEST_FUNCTION)).toEqual([]);
  });
});
