// `npm run invariants -- --mutants`: switches off one safeguard of the provider after the other, in a copy, and prints
// after how many runs the invariant tests detect it. A mutant that is not detected within `--runs` is a failure.
import { rmSync } from "node:fs";
import type { Front } from "../../provider/pulumi/stateNames.ts";
import { compile } from "./compile.ts";
import { mutantsFor, mutate } from "./mutants.ts";
import { runAll } from "./workers.ts";

export interface Detection {
  root: string;
  seed: number;
  runs: number;
  workers: number;
  front: Front;
  /** The name of the only mutant to run. */
  only: string | undefined;
  print: (line: string) => void;
}

interface Found {
  runs: number;
  breach: string;
}

/** Returns how many mutants were detected, and how many were not. */
export async function detectMutants(detection: Detection): Promise<{ passed: number; failed: number }> {
  const { root, runs, only, print } = detection;
  const chosen = mutantsFor("runs", only);
  let missed = 0;
  print("| switched off | noticed after | as |");
  print("|---|---|---|");
  for (const mutant of chosen) {
    const out = compile({ root, name: "mutants", patch: (text, file) => mutate(mutant, text, file) });
    const found = await firstBreach(out, { ...detection, front: mutant.front ?? detection.front });
    rmSync(out, { recursive: true, force: true });
    if (found === undefined) missed += 1;
    const after = found === undefined ? `not within ${runs} runs` : found.runs === 1 ? "1 run" : `${found.runs} runs`;
    print(`| ${mutant.name}: ${mutant.what} | ${after} | ${found?.breach ?? ""} |`);
  }
  return { passed: chosen.length - missed, failed: missed };
}

async function firstBreach(out: string, { seed, runs, workers, front }: Detection): Promise<Found | undefined> {
  let done = 0;
  let found: Found | undefined;
  await runAll({
    out,
    seed,
    from: 0,
    to: runs,
    workers,
    front,
    isShrunk: false,
    isOver: () => found !== undefined,
    onRun({ violations: [first] }) {
      done += 1;
      if (first !== undefined) found ??= { runs: done, breach: first.breach };
    },
  });
  return found;
}
