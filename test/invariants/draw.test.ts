// A walk over the engine draws each act often enough. That shows without the engine, which is played roughly here.

import { expect, test } from "vitest";
import { FULL_COMMANDS, LEAST_DRAWN, MUST_HAPPEN } from "../../scripts/invariants/table";
import { drawRound, type Held, randomOf, ROUNDS } from "../engine/walk/draw";
import type { StackName, Step } from "../engine/walk/model";
import { SEQUENCES } from "../engine/walk/sequences";
import { namesOf } from "../engine/walk/tally";
import { createRandom, type Random, type Turn } from "../support/random";
import type { Declared } from "./operator/declared";

/** What happens only while a command runs. */
const OF_COMMANDS = /^(act|fault)/;

/** The names of the steps of one run, and how many commands it has. */
function drawn(turn: Turn): { names: string[]; commands: number } {
  const [random, luck] = [randomOf(turn), createRandom(turn.run)];
  const programs: Record<StackName, Declared[]> = { dev: [], other: [] };
  const names: string[] = [];
  let entries: Held[] = [];
  let commands = 0;
  const known = Object.values(SEQUENCES)[turn.run]?.steps;
  random.seed();
  for (let round = 0; round < (known === undefined ? ROUNDS : 1); round += 1) {
    for (const step of known ?? drawRound(round, { random, entries, kills: true }, programs)) {
      names.push(...namesOf(step, "stack" in step ? programs[step.stack] : []));
      commands += { program: 0, console: 0, state: 1, refresh: 1, import: 2, up: 2, destroy: 2 }[step.do];
      if (step.do === "program") programs[step.stack] = step.declared;
      entries = after(step, programs, entries, luck);
    }
  }
  return { names, commands };
}

/** The entries of the states: a command fails now and then, and a delete is refused more often. */
function after(step: Step, programs: Record<StackName, Declared[]>, entries: Held[], luck: Random): Held[] {
  if (step.do === "console" || step.do === "program" || luck.isLucky(0.25)) return entries;
  const { stack } = step;
  if ("flags" in step) {
    const isPart = step.flags.some((flag) => /^--(target|exclude)/.test(flag));
    if (step.do === "destroy")
      return entries.filter((entry) => entry.stack !== stack || luck.isLucky(isPart ? 0.7 : 0.4));
    if (step.do === "refresh" || isPart) return entries;
    const made = programs[stack].map((one): Held => ({ stack, ...one }));
    return [...entries.filter((entry) => entry.stack !== stack), ...made];
  }
  const others = entries.filter((entry) => entry.stack !== stack || entry.logical !== step.logical);
  if (step.do === "import") return [...others, { stack, logical: step.logical, kind: "service" }];
  if (step.what === "delete") return others;
  const to: StackName = stack === "dev" ? "other" : "dev";
  return entries.map((entry) => (step.what !== "move" || others.includes(entry) ? entry : { ...entry, stack: to }));
}

test.each([1, 2, 20261126])("of seed %d, a full walk has each act and option often enough", (seed) => {
  const counts = new Map<string, number>();
  for (let run = 0, commands = 0; commands < FULL_COMMANDS; run += 1) {
    const { names, commands: some } = drawn({ seed, run });
    commands += some;
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const own = MUST_HAPPEN.walk.filter((name) => !OF_COMMANDS.test(name));
  expect(own.filter((name) => (counts.get(name) ?? 0) < LEAST_DRAWN)).toEqual([]);
});
