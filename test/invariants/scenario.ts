// One run: a simulation, a program, a few commands under faults with edits and drift in between, then a recovery without
// faults, after which state and server must agree. The log says what happened; the same seed gives the same run.

import type { Form } from "../../provider/pulumi/stateNames";
import { command, type CommandOptions } from "./command";
import { allOf } from "./engine/state";
import { fail, recover as heal } from "./operator/acts";
import { actingIn, drift } from "./operator/drift";
import { isolate, ISOLATIONS, type Isolation } from "./isolation";
import type { Violation } from "./judge/judge";
import {
  adoptable,
  resolveConflicts,
  editProgram,
  forcible,
  isBelievable,
  recreateGone,
  settleProtected,
} from "./operator/operatorActions";
import { createRandom, type Random } from "../support/random";
import { count, openSimulation, type Counts, type Simulation } from "./simulation";
import { NO_FAULTS, faultScheduleOf } from "./faultSchedule";

/** One action of a scenario; with its own seed, so that leaving one out does not change the others. */
export interface Action {
  does: "up" | "edit" | "force" | "refresh" | "drift" | "fail" | "heal" | "wait" | "destroy" | Isolation;
  seed: number;
}

export interface Scenario {
  seed: number;
  actions: readonly Action[];
}

export interface RunResult {
  violations: Violation[];
  lines: string[];
  counts: Counts;
}

const MINUTE_MS = 60_000;

export async function runScenario(scenario: Scenario, form: Form, isDetailed = false): Promise<RunResult> {
  const random = createRandom(scenario.seed);
  const simulation = await openSimulation(random, form, isDetailed);
  const { judge, lines, counts } = simulation;
  try {
    for (const action of scenario.actions) await perform(simulation, action);
    await recover(simulation, random);
    for (const { does, seed } of scenario.actions) {
      // After a breach the simulation is inconsistent, so it cannot tell which resources are held up.
      if (judge.violations.length > 0 || !isIsolation(does)) continue;
      await isolate(simulation, does, createRandom(seed));
      await recover(simulation, random);
    }
  } finally {
    await simulation.close();
  }
  for (const [operation, times] of Object.entries(judge.operations)) count(counts, `operation ${operation}`, times);
  count(counts, "known outputs", judge.known);
  return { violations: judge.violations, lines, counts };
}

function isIsolation(does: Action["does"]): does is Isolation {
  return ISOLATIONS.some((one) => one === does);
}

async function perform(simulation: Simulation, { does, seed }: Action): Promise<void> {
  // These come after the recovery.
  if (isIsolation(does)) return;
  const random = createRandom(seed);
  switch (does) {
    case "edit":
      simulation.lines.push(`edit: ${editProgram(simulation, random)}`);
      return;
    case "drift":
      simulation.lines.push(`drift: ${drift(simulation, random)}`);
      return;
    case "fail":
    case "heal":
      if (!(does === "fail" ? fail : heal)(actingIn(simulation), random)) return;
      simulation.lines.push(`by hand: ${does}`);
      count(simulation.counts, `drawn ${does}`);
      // The judge tells what comes before a command by its time.
      await simulation.clock.sleep(1_000);
      return;
    case "wait":
      await simulation.clock.sleep(random.below(30 * MINUTE_MS));
      return;
    case "force": {
      // A user forces a replacement, and adopts the object that is to be replaced.
      const victim = random.pickFrom(forcible(simulation));
      if (victim === undefined) return;
      const [adopt, isBroken] = [random.isLucky(0.8) ? [victim.id] : [], random.isLucky(0.6)];
      const schedule = faultScheduleOf(simulation.conditions, random);
      await command(simulation, { does: "up", adopt, schedule, seed: random.seed(), forced: victim.logical, isBroken });
      return;
    }
    default: {
      const adopt = does === "up" && random.isLucky(0.7) ? adoptable(simulation) : [];
      await command(simulation, {
        does,
        adopt,
        schedule: faultScheduleOf(simulation.conditions, random),
        seed: random.seed(),
      });
    }
  }
}

/** What is in the way of a resource may show only when another is done: the replica sets of a service that is adopted. */
const MOST_ROUNDS = 4;

/** Once faults stop, a few more runs make state and server equal; one more has nothing to do. */
async function recover(simulation: Simulation, random: Random): Promise<void> {
  const { emulator, clock, judge, state, lines } = simulation;
  const order = (does: CommandOptions["does"], adopt: readonly string[] = []): Promise<void> =>
    command(simulation, { does, adopt, schedule: NO_FAULTS, seed: random.seed() });
  lines.push("no more faults");
  emulator.settle();
  await clock.sleep(30 * MINUTE_MS);
  resolveConflicts(simulation);
  settleProtected(simulation);
  const refresh = async (): Promise<void> => {
    await order("refresh");
    if (isBelievable(simulation)) await order("refresh");
  };
  await refresh();
  const restore = recreateGone(simulation);
  await order("up");
  if (restore !== undefined) {
    await refresh();
    await order("up");
    restore();
  }
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const isFailed = judge.failures.length > 0;
    resolveConflicts(simulation);
    settleProtected(simulation);
    // A run with DBCLOUD_ADOPT does not delete the objects that it names.
    const isRefused = judge.failures.some(({ text }) => text.includes("run without DBCLOUD_ADOPT"));
    const ids = isRefused ? [] : adoptable(simulation);
    if (round === 1 || isFailed || ids.length > 0) await order("up", ids);
  }
  judge.compare(allOf(state));
  const before = emulator.ledger().length;
  await order("up");
  const after = emulator.ledger().slice(before);
  if (after.length > 0)
    judge.blame("untrue", `an equal program called ${after.map((one) => one.operation).join(", ")}`);
  for (const { text } of judge.failures) judge.blame("untrue", `it still fails without faults: ${text}`);
  if (simulation.form === "dynamic") return;
  await order("import");
  for (const { text } of judge.failures) judge.blame("untrue", `an import fails without faults: ${text}`);
}
