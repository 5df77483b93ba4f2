// A random walk over the engine: one scenario is a few programs and commands of one project with two stacks. It stops at
// the first breach. The same seed gives the same steps as far as the engine's own order allows.

import { readFileSync } from "node:fs";
import type { Form } from "../../../provider/pulumi/stateNames";
import type { Judge } from "../../invariants/judge/judge";
import type { CheckedRun, Task } from "../../invariants/scenarios";
import type { Turn } from "../../support/random";
import { drawRound, randomOf, ROUNDS } from "./draw";
import { lookAt, type Machine, openMachine } from "./machine";
import type { Step } from "./model";
import { SEQUENCES } from "./sequences";
import { perform as performStep } from "./steps";

/** The lines are the steps and the commands, and what these said. */
export type Walked = Pick<Machine, "lines" | "counts" | "ends"> & Pick<Judge, "violations">;

const sequences = Object.values(SEQUENCES);
/** The program of a killed CLI goes on in this process, and finds no engine. */
const ignore = (): void => undefined;

/**
 * A run of `npm run invariants -- --engine`. First come the sequences, then random walks: even runs are of the seed, odd
 * ones of the next. Or it is the steps of a file that has the output of an earlier run.
 */
export async function perform({ seed, run, form, path }: Task): Promise<CheckedRun> {
  process.off("unhandledRejection", ignore).on("unhandledRejection", ignore);
  const steps = path === undefined ? sequences[run]?.steps : stepsIn(path);
  try {
    return await (steps === undefined ? walk({ seed, run }, form) : replay({ seed, run }, form, steps));
  } catch (error) {
    const what = `it broke off: ${error instanceof Error ? error.stack : String(error)}`;
    return { violations: [{ breach: "broke off", what }], lines: [], counts: {} };
  }
}

function stepsIn(file: string): Step[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line) => (line.trim().startsWith('{"do":') ? [JSON.parse(line) as Step] : []));
}

/** The walk of this turn. Each can be made alone. */
export function walk(turn: Turn, form: Form, kills = true): Promise<Walked> {
  const random = randomOf(turn);
  return performAll(random.seed(), form, ROUNDS, (machine, round) => {
    const entries = lookAt(machine).entries.filter(({ isPending }) => !isPending);
    return drawRound(round, { random, entries, kills }, machine.programs);
  });
}

/** The objects get the same ids as in the walk of this seed. */
export function replay(turn: Turn, form: Form, steps: readonly Step[]): Promise<Walked> {
  return performAll(randomOf(turn).seed(), form, 1, () => [...steps]);
}

async function performAll(
  seed: number,
  form: Form,
  rounds: number,
  draw: (machine: Machine, round: number) => Step[],
): Promise<Walked> {
  const machine = await openMachine(seed, form);
  const { violations } = machine.judge;
  const isOver = (): boolean => violations.length > 0 || machine.isBroken;
  try {
    for (let round = 0; round < rounds && !isOver(); round += 1) {
      for (const step of draw(machine, round)) {
        machine.lines.push(JSON.stringify(step));
        await performStep(machine, step);
        if (isOver()) break;
      }
    }
  } finally {
    await machine.world.close();
  }
  const { lines, counts, ends } = machine;
  return { violations, lines, counts, ends };
}
