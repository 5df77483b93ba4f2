// The shape of the source: no circles and no long chains of imports. Read from the files themselves, so that a new file is
// held to it too.

import { describe, expect, test } from "vitest";
import { circlesOf, importedFiles, loadedAtOnce, longestChain, sourcesIn } from "./support/sources";

/** Files of the lifecycle that are read, one after the other, to follow one call to its end. */
const LONGEST_CHAIN = 6;
/** The same with files that are read for their types alone. */
const LONGEST_CHAIN_WITH_TYPES = 7;

const sources = ["provider", "cli", "emulator", "testing"].flatMap(sourcesIn);

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
