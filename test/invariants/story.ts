// One run: a world, a program, a few commands in bad weather with a person editing and somebody else's hands in between,
// then calm, in which everything must become whole. The story says what happened; the same seed tells it again.

import { command, type Order } from "./command";
import { drift } from "./drift";
import type { Violation } from "./judge";
import { adoptable, comeToTerms, editProgram, forcible } from "./person";
import { createRandom, type Random } from "../support/random";
import { count, openStage, type Counts, type Stage } from "./stage";
import { FAIR, weatherOf } from "./weather";

/** One act of a story; with its own seed, so that leaving one out does not change the others. */
export interface Act {
  does: "up" | "edit" | "force" | "refresh" | "drift" | "wait" | "destroy";
  seed: number;
}

export interface Outline {
  seed: number;
  acts: readonly Act[];
}

export interface Telling {
  violations: Violation[];
  lines: string[];
  counts: Counts;
}

const MINUTE_MS = 60_000;
const DEEDS = [
  "up",
  "up",
  "edit",
  "edit",
  "edit",
  "force",
  "refresh",
  "refresh",
  "drift",
  "drift",
  "wait",
  "destroy",
] as const;

export function outlineOf(seed: number): Outline {
  const random = createRandom(seed);
  const acts: Act[] = [{ does: "up", seed: random.seed() }];
  for (let left = 2 + random.below(8); left > 0; left -= 1) {
    const does = random.pick(DEEDS);
    acts.push({ does, seed: random.seed() });
    if (does === "edit") acts.push({ does: "up", seed: random.seed() });
  }
  return { seed, acts };
}

export async function tell(outline: Outline, isDetailed = false): Promise<Telling> {
  const random = createRandom(outline.seed);
  const stage = await openStage(random, isDetailed);
  const { judge, lines, counts } = stage;
  try {
    for (const act of outline.acts) await play(stage, act);
    await calmDown(stage, random);
  } finally {
    await stage.close();
  }
  for (const [operation, times] of Object.entries(judge.operations)) count(counts, `operation ${operation}`, times);
  return { violations: judge.violations, lines, counts };
}

async function play(stage: Stage, { does, seed }: Act): Promise<void> {
  const random = createRandom(seed);
  switch (does) {
    case "edit":
      stage.lines.push(`edit: ${editProgram(stage, random)}`);
      return;
    case "drift":
      stage.lines.push(`drift: ${drift(stage, random)}`);
      return;
    case "wait":
      await stage.clock.sleep(random.below(30 * MINUTE_MS));
      return;
    case "force": {
      // A person who forces a replacement, and does what the worst advice says.
      const victim = random.pickFrom(forcible(stage));
      if (victim === undefined) return;
      const [adopt, isBroken] = [random.isLucky(0.8) ? [victim.id] : [], random.isLucky(0.6)];
      const weather = weatherOf(stage.climate, random);
      await command(stage, { does: "up", adopt, weather, seed: random.seed(), forced: victim.logical, isBroken });
      return;
    }
    default: {
      const adopt = does === "up" && random.isLucky(0.7) ? adoptable(stage) : [];
      await command(stage, { does, adopt, weather: weatherOf(stage.climate, random), seed: random.seed() });
    }
  }
}

/** What was left behind shows only when what it belongs to was taken over: a service, its replica sets. */
const ROUNDS_OF_ADOPTION = 2;

/** Once faults stop, a few more runs make state and server the same; another one has nothing left to do. */
async function calmDown(stage: Stage, random: Random): Promise<void> {
  const { emulator, clock, judge, state, lines } = stage;
  const order = (does: Order["does"], adopt: readonly string[] = []): Promise<void> =>
    command(stage, { does, adopt, weather: FAIR, seed: random.seed() });
  lines.push("calm");
  emulator.settle();
  await clock.sleep(30 * MINUTE_MS);
  comeToTerms(stage);
  await order("refresh");
  await order("up");
  for (let round = 1; round <= ROUNDS_OF_ADOPTION; round += 1) {
    comeToTerms(stage);
    const ids = adoptable(stage);
    if (round === 1 || ids.length > 0) await order("up", ids);
  }
  judge.compare(state);
  const before = emulator.ledger().length;
  await order("up");
  const after = emulator.ledger().slice(before);
  if (after.length > 0)
    judge.blame("untrue", `an equal program called ${after.map((one) => one.operation).join(", ")}`);
  for (const { text } of judge.failures) judge.blame("untrue", `it still fails in calm: ${text}`);
}
