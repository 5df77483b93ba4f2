// Tells the stories that it is asked for, one after the other, and shortens those that end badly.
import { createRequire } from "node:module";
import path from "node:path";

/** Real time after which a story counts as hanging: they take a second or two. */
const LONGEST_MS = 180_000;

const require = createRequire(import.meta.url);
const folder = path.join(process.argv[2], "test", "invariants");
const { outlineOf, tell } = require(path.join(folder, "story.js"));
const { seedOf } = require(path.join(folder, "random.js"));
const { shrink } = require(path.join(folder, "shrink.js"));

process.on("message", ({ seed, run, isShrunk, isDetailed }) => {
  void work(seed, run, { isShrunk, isDetailed }).then((outcome) => process.send(outcome));
});

async function work(seed, run, { isShrunk, isDetailed }) {
  const outline = outlineOf(seedOf(seed, run));
  const told = await safely(outline, isDetailed);
  const [first] = told.violations;
  if (first === undefined || !isShrunk) return { run, ...told };
  const { telling } = await shrink(outline, first.breach, (shorter) => safely(shorter));
  return { run, ...told, lines: telling.lines, shrunk: telling.violations };
}

async function safely(outline, isDetailed = false) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${LONGEST_MS / 1000} s`)), LONGEST_MS);
  });
  try {
    return await Promise.race([tell(outline, isDetailed), limit]);
  } catch (error) {
    return { violations: [{ breach: "untrue", what: `it broke off: ${error.stack}` }], lines: [], counts: {} };
  } finally {
    clearTimeout(timer);
  }
}
