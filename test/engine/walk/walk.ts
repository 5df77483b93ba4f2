// A random walk over the engine: one scenario is a few programs and commands of one project with two stacks. It stops at
// the first breach. The same seed gives the same steps as far as the engine's own order allows.

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

const ROUNDS = 9;

export async function walk(seed: number, { kills = true } = {}): Promise<Walked> {
  const random = createRandom(seed);
  let names = 0;
  return performAll(random.seed(), ROUNDS, (machine, round) => {
    const entries = lookAt(machine).entries.filter(({ isPending }) => !isPending);
    const view: View = { random, entries, kills, programs: { ...machine.programs }, next: () => (names += 1) };
    return round === 0 ? drawFirst(view) : drawSteps(view);
  });
}

/** The same steps again; the objects get the same ids. */
export function replay(seed: number, steps: readonly Step[]): Promise<Walked> {
  return performAll(createRandom(seed).seed(), 1, () => [...steps]);
}

async function performAll(
  seed: number,
  rounds: number,
  draw: (machine: Machine, round: number) => Step[],
): Promise<Walked> {
  const machine = await openMachine(seed);
  const done: Step[] = [];
  const breaches: Breach[] = [];
  try {
    for (let round = 0; round < rounds && breaches.length === 0; round += 1) {
      for (const step of draw(machine, round)) {
        done.push(step);
        machine.lines.push(JSON.stringify(step));
        const found = await perform(machine, step);
        breaches.push(...found);
        if (found.length > 0) break;
      }
    }
  } finally {
    await machine.world.close();
  }
  return { breaches, steps: done, lines: machine.lines, counts: machine.counts };
}

/** The sequence without the steps that the breach does not need. Each attempt is a whole sequence on the real CLI. */
export async function shorten(seed: number, { breaches, steps }: Walked): Promise<Walked | undefined> {
  let shortest: Walked | undefined;
  let left = [...steps];
  for (let index = left.length - 2; index >= 0; index -= 1) {
    const fewer = left.filter((_, at) => at !== index);
    const again = await replay(seed, fewer);
    if (again.breaches[0]?.rule !== breaches[0]?.rule) continue;
    [shortest, left] = [again, fewer];
  }
  return shortest;
}
