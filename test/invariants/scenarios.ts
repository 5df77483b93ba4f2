// Random scenarios: how fast-check draws one, runs it, shortens it if it fails, and finds it again. The actions are a
// list that loses items while a breach remains; each has its own seed, so that the others do not change.

import * as fc from "fast-check";
import type { Form } from "../../provider/pulumi/stateNames";
import { ISOLATIONS } from "./isolation";
import type { Breach } from "./judge/judge";
import { type Action, runScenario, type RunResult, type Scenario } from "./scenario";
import type { Counts } from "./simulation";
import { seedOf } from "../support/random";

const MOST_STEPS = 11;

/** All seeds are equally good: there is no smaller one to shrink to. */
const seeds = fc.noShrink(fc.nat(2 ** 31 - 1));

function action(...choices: readonly Action["does"][]): fc.Arbitrary<Action> {
  return fc.record({ does: fc.constantFrom(...choices), seed: seeds });
}

const steps = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(action("up")) },
  // An edit is always run; otherwise it would show later, together with others.
  { weight: 3, arbitrary: fc.tuple(action("edit"), action("up")) },
  { weight: 1, arbitrary: fc.tuple(action("force")) },
  { weight: 2, arbitrary: fc.tuple(action("refresh")) },
  { weight: 2, arbitrary: fc.tuple(action("drift")) },
  { weight: 1, arbitrary: fc.tuple(action("wait")) },
  { weight: 1, arbitrary: fc.tuple(action("destroy")) },
  { weight: 1, arbitrary: fc.tuple(action("fail"), action("refresh"), action("heal"), action("up")) },
);

/** Half of the scenarios end with a single object that fails. */
const isolations = fc.array(action(...ISOLATIONS), { maxLength: 1 });

const scenarios: fc.Arbitrary<Scenario> = fc.noBias(
  fc
    .tuple(seeds, action("up"), fc.array(steps, { maxLength: MOST_STEPS }), isolations)
    .map(([seed, first, rest, last]) => ({ seed, actions: [first, ...rest.flat(), ...last] })),
);

/** A request to a worker process of `npm run invariants`. */
export interface Task {
  seed: number;
  run: number;
  form: Form;
  /** Whether failing scenarios are shortened. */
  isShrunk: boolean;
  /** Whether the log has each request. */
  isDetailed: boolean;
  /** The scenario that an earlier run was shortened to, instead of the whole one; or the file of a walk to replay. */
  path: string | undefined;
}

/** The same of each check. */
export interface CheckedRun {
  violations: { breach: string; what: string }[];
  /** The log. */
  lines: string[];
  counts: Counts;
  /** The shortest scenario with the same breach, if shrinking was requested. */
  shrunk?: RunResult;
  /** The path by which fast-check finds that scenario again. */
  path?: string;
}

/** Real time after which a scenario counts as hanging: normal ones take a second or two. */
const LONGEST_MS = 180_000;

/** One run among those of a seed; any process can perform each one alone. */
export function perform({ isDetailed, ...task }: Task): Promise<CheckedRun> {
  return checkRun(task, (scenario) => bounded(runScenario(scenario, task.form, isDetailed)));
}

/** A crash or a hang is a violation. */
async function bounded(running: Promise<RunResult>): Promise<RunResult> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${LONGEST_MS / 1000} s`)), LONGEST_MS);
  });
  try {
    return await Promise.race([running, limit]);
  } catch (error) {
    const what = `it broke off: ${error instanceof Error ? error.stack : String(error)}`;
    return { violations: [{ breach: "broke off", what }], lines: [], counts: {} };
  } finally {
    clearTimeout(timer);
  }
}

/** Draws one scenario, runs it, and shortens it if it fails and that is requested. */
export async function checkRun(
  { seed, run, isShrunk, path }: Omit<Task, "isDetailed" | "form">,
  runOne: (scenario: Scenario) => Promise<RunResult>,
): Promise<CheckedRun> {
  let whole: RunResult | undefined;
  let shortest: RunResult | undefined;
  const hasBreach = (result: RunResult, breach: Breach | undefined): boolean =>
    result.violations.some((violation) => violation.breach === breach);
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const result = await runOne(scenario);
    whole ??= result;
    // Another breach would be another defect.
    if (!hasBreach(result, whole.violations[0]?.breach)) return true;
    shortest = result;
    return false;
  });
  const parameters = { seed: seedOf(seed, run), numRuns: 1, endOnFailure: !isShrunk };
  const details = await fc.check(property, path === undefined ? parameters : { ...parameters, path });
  if (whole === undefined) throw new Error("the scenario did not run", { cause: details.errorInstance });
  if (!isShrunk || shortest === undefined) return whole;
  return { ...whole, shrunk: shortest, path: details.counterexamplePath ?? "0" };
}
