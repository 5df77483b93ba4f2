// A worker process of the walk over the engine: runs the requested scenarios one after the other.
import { createRequire } from "node:module";
import path from "node:path";
import type * as WalkModule from "../../test/engine/walk/walk.ts";
import type * as RandomModule from "../../test/support/random.ts";
import type { Task } from "./workers.ts";

const require = createRequire(import.meta.url);
const load = (...names: string[]): unknown => require(path.join(process.argv[2] ?? "", "test", ...names));
const { walk, shorten } = load("engine", "walk", "walk.js") as typeof WalkModule;
const { seedOf } = load("support", "random.js") as typeof RandomModule;

/** One scenario of the walk, as the parent gets it. */
export interface WalkOutcome extends WalkModule.Walked {
  run: number;
  shortest?: WalkModule.Walked | undefined;
}

// The program of a killed CLI goes on in this process, and finds no engine.
process.on("unhandledRejection", () => undefined);

process.on("message", ({ seed, run, isShrunk }: Task) => {
  void perform(seed + (run % 2), run >> 1, isShrunk).then((outcome) => process.send?.({ ...outcome, run }));
});

async function perform(seed: number, index: number, isShrunk: boolean): Promise<Omit<WalkOutcome, "run">> {
  const own = seedOf(seed, index);
  try {
    const walked = await walk(own);
    return isShrunk && walked.breaches.length > 0 ? { ...walked, shortest: await shorten(own, walked) } : walked;
  } catch (error) {
    const what = `it broke off: ${error instanceof Error ? error.stack : String(error)}`;
    return { breaches: [{ rule: "broke off", what }], steps: [], lines: [], counts: {} };
  }
}
