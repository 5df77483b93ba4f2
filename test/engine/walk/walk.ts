// A random walk over the engine: one scenario is a few programs and commands of one project with two stacks. It stops at
// the first breach. The same seed gives the same steps as far as the engine's own order allows.

import type { Front } from "../../../provider/pulumi/stateNames";
import { createRandom } from "../../support/random";
import { drawFirst, drawSteps } from "./draw";
import type { View } from "./edits";
import type { Breach } from "./judge";
import { lookAt, type Machine, openMachine } from "./machine";
import type { Step } from "./model";
import { perform } from "./steps";

export interface Walked {
  breaches: Breach[];
  steps: Step[];
  /** The commands, and what they said. */
  lines: string[];
  counts: Machine["counts"];
}

export interface WalkOptions {
  /** Default: "dynamic". */
  front?: Front;
  /** Whether processes are killed, too. Default: yes. */
  kills?: boolean;
  /** The steps of an earlier walk of this seed: the objects get the same ids. */
  steps?: readonly Step[] | undefined;
  /** Whether a sequence with a breach loses the steps that the breach does not need. */
  isShrunk?: boolean;
}

const ROUNDS = 9;

export async function walk(seed: number, options: WalkOptions = {}): Promise<Walked> {
  const { front = "dynamic", kills = true, steps, isShrunk = false } = options;
  const walked = await (steps === undefined ? walkFrom(seed, front, kills) : replay(seed, front, steps));
  return isShrunk && walked.breaches.length > 0 ? shortened(seed, front, walked) : walked;
}

function walkFrom(seed: number, front: Front, kills: boolean): Promise<Walked> {
  const random = createRandom(seed);
  let names = 0;
  return performAll(random.seed(), front, ROUNDS, (machine, round) => {
    const entries = lookAt(machine).entries.filter(({ isPending }) => !isPending);
    const view: View = { random, entries, kills, programs: { ...machine.programs }, next: () => (names += 1) };
    return round === 0 ? drawFirst(view) : drawSteps(view);
  });
}

function replay(seed: number, front: Front, steps: readonly Step[]): Promise<Walked> {
  return performAll(createRandom(seed).seed(), front, 1, () => [...steps]);
}

async function performAll(
  seed: number,
  front: Front,
  rounds: number,
  draw: (machine: Machine, round: number) => Step[],
): Promise<Walked> {
  const machine = await openMachine(seed, front);
  const done: Step[] = [];
  const breaches: Breach[] = [];
  const isOver = (): boolean => breaches.length > 0 || machine.isBroken;
  try {
    for (let round = 0; round < rounds && !isOver(); round += 1) {
      for (const step of draw(machine, round)) {
        done.push(step);
        machine.lines.push(JSON.stringify(step));
        const found = await perform(machine, step);
        breaches.push(...found);
        if (isOver()) break;
      }
    }
  } finally {
    await machine.world.close();
  }
  return { breaches, steps: done, lines: machine.lines, counts: machine.counts };
}

/** Each attempt is a whole sequence on the real CLI. */
async function shortened(seed: number, front: Front, walked: Walked): Promise<Walked> {
  let shortest = walked;
  for (let index = walked.steps.length - 2; index >= 0; index -= 1) {
    const again = await replay(
      seed,
      front,
      shortest.steps.filter((_, at) => at !== index),
    );
    if (again.breaches[0]?.rule === walked.breaches[0]?.rule) shortest = again;
  }
  return { ...shortest, counts: walked.counts };
}
