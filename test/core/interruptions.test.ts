// Every step of every plan is interrupted in every way: refused, lost on the way there, lost on the way back, stuck until
// the deadline. What landed is in the state, the error says how far it came, and the next `up` does only the rest.

import { describe, expect, test } from "vitest";
import type { EmulatorOptions, Fault, FaultScope } from "../../emulator/index";
import { ProviderError } from "../../provider/domain/errors";
import type { Values } from "../../provider/domain/values/value";
import { isAsWanted } from "../../provider/core/compare";
import { isBuildServer, repeats } from "../support/repeats";
import type { Kept } from "../support/world";
import { done, open, world } from "./scene";
import { type Change, combine, serviceChanges, wordOf } from "./serviceChanges";

interface Way {
  fault: Fault & Pick<FaultScope, "times">;
  /** Whether the run ends there; it rides out the others. */
  isFatal: boolean;
  /** Whether the call took effect. */
  hasLanded: boolean;
}

const WAYS: Record<string, Way> = {
  "refused, 403": { fault: { kind: "status", status: 403 }, isFatal: true, hasLanded: false },
  "refused, 400": { fault: { kind: "status", status: 400 }, isFatal: true, hasLanded: false },
  "refused, 403, but done": { fault: { kind: "status", status: 403, commit: true }, isFatal: true, hasLanded: true },
  "lost on the way there": { fault: { kind: "lostBefore" }, isFatal: false, hasLanded: false },
  "lost on the way there, again and again": {
    fault: { kind: "lostBefore", times: Infinity },
    isFatal: true,
    hasLanded: false,
  },
  "lost on the way back": { fault: { kind: "lostAfter" }, isFatal: false, hasLanded: true },
  "500 after it was done": { fault: { kind: "status", status: 500, commit: true }, isFatal: false, hasLanded: true },
  "nonsense after it was done": { fault: { kind: "truncate", commit: true }, isFatal: false, hasLanded: true },
  "stuck until the deadline": { fault: { kind: "stuck", status: "UPGRADING" }, isFatal: true, hasLanded: true },
};

const SERVERS: Record<string, EmulatorOptions> = {
  "a server": {},
  "a server that shows old values for five reads": { stale: { reads: 5 } },
};

/** One in so many of the changes that are made alone. */
const SHARE_OF_ALONE = 36;

/** What a plan may take, for each of its calls and one more: enough for reads before a repeat, and not much more. */
const CALL_SECONDS = { prompt: 6, stale: 9 };

/** Calls that were made to get to where a plan begins, by service. */
const callsBefore = new Map<string, number>();

describe.each(Object.entries(SERVERS))("%s", (_name, options) => {
  test.each(Object.entries(WAYS))("%s", { timeout: 240_000 }, async (name, way) => {
    callsBefore.clear();
    await open({ ...options, switches: { busy: "allow" } });
    const failures: string[] = [];
    let number = 0;
    const changes = await serviceChanges();
    const plans = options.stale === undefined ? promptPlans(changes, name) : longPlans(changes).slice(repeats(2, 1));
    for (const plan of plans) {
      for (const step of plan.calls.keys()) {
        // A server that starts a service while it says 403 has made drift, and drift is left to a refresh.
        if (way.fault.kind === "status" && way.fault.status === 403 && way.hasLanded && plan.calls[step] === "start")
          continue;
        number += 1;
        await interrupt(plan, step, way, `s${number}`).catch((error: unknown) => {
          failures.push(`${plan.name}, ${plan.calls[step]}: ${error instanceof Error ? error.message : String(error)}`);
        });
      }
    }
    expect(failures).toEqual([]);
    expect(world.overlaps()).toEqual([]);
  });
});

/** Changes that are made alone repeat what the long plans show of each way: some ways of each do, others of the next. */
function promptPlans(changes: readonly Change[], way: string): Change[] {
  const at = Object.keys(WAYS).indexOf(way);
  const all = changes.filter((change) => change.calls.length > 0);
  const alone = repeats(
    all.filter((_, index) => (index + at) % SHARE_OF_ALONE === 0),
    all,
  );
  // Of the three long plans the second is the first one on a service that is paused before.
  return [...alone, ...longPlans(changes).filter((_, index) => isBuildServer || index !== 1)];
}

/** Everything at once: of a running service, of a paused one that stays so, and of a new one. */
function longPlans(changes: readonly Change[]): Change[] {
  const pick = (...names: string[]): Change =>
    combine(names.flatMap((name) => changes.filter((change) => change.name === name)));
  const most = ["rename", "tag as PROD", "grow", "make one synchronous", "swap", "pooler on", "password"];
  return [
    pick(...most, "pause"),
    pick(...most, "stay paused"),
    { ...pick("make one synchronous", "attach", "pooler on", "password", "pause"), name: "create" },
  ];
}

async function interrupt(plan: Change, step: number, way: Way, label: string): Promise<void> {
  const call = plan.calls[step] ?? "";
  const { run, args } = await begin(plan, label);
  const fault = world.emulator.faults.add({ ...way.fault, operation: call as FaultScope["operation"] & string });
  const stopped = await run();
  fault.remove();
  expect(fault.struck).toBeGreaterThan(0);

  const isSeen = isFatalFor(way, plan, step);
  expect(stopped.failed === undefined ? "done" : "failed").toBe(isSeen ? "failed" : "done");
  const isSafe = way.hasLanded || !isSeen;
  expect(committed(stopped.id)).toEqual(plan.calls.slice(0, isSafe && !isSeen ? undefined : step + (isSafe ? 1 : 0)));
  expect(world.emulator.state().services.filter((service) => service.name.startsWith(label))).toHaveLength(1);
  const ended = way.fault.kind === "stuck" ? "accepted, not yet seen" : "failed";
  const whole = isSeen ? await goOn(stopped, plan, { step, ended }, args) : stopped;

  expect(whole.outputs).toMatchObject(args);
  expect(whole.outputs["__pending"]).toBeUndefined();
  expect(committed(whole.id)).toEqual(plan.calls);
  const everything = world.emulator.ledger().filter((entry) => entry.id === whole.id);
  expect(everything.filter((entry) => entry.event !== "changed").map((entry) => entry.operation)).toEqual([
    "createService",
  ]);
  world.emulator.mutate.deleteService(whole.id);
  world.nextRun();
}

/** The run that is to be interrupted: of a service that is as the program said before, or of one that is yet to be. */
async function begin(plan: Change, label: string): Promise<{ run: () => Promise<Kept>; args: Values }> {
  const perCall = world.emulator.settings.stale.reads === undefined ? CALL_SECONDS.prompt : CALL_SECONDS.stale;
  const limit = `${(plan.calls.length + 1) * perCall}s`;
  const steady = { deletionProtection: false, timeouts: { create: limit, update: limit } };
  const args = { ...steady, ...plan.to, name: plan.to["name"] === "new" ? `${label} renamed` : label };
  if (plan.name === "create") return { run: () => world.service.create(args), args };
  const kept = await done(world.service.create({ ...steady, ...plan.from, name: label }));
  // What was called to get here is not part of the plan.
  callsBefore.set(kept.id, changesOf(kept.id).length);
  return { run: () => updateOrStay(kept, args), args };
}

/** A run that changed nothing is an error and leaves the state as it was. */
async function updateOrStay(kept: Kept, args: Values): Promise<Kept> {
  try {
    return await world.service.update(kept, args);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    expect(error.fullMessage).toContain("is as it was");
    return { ...kept, failed: error.fullMessage };
  }
}

/** The next `up`, after everything that was stuck has been set free. */
async function goOn(
  stopped: Kept,
  plan: Change,
  { step, ended }: { step: number; ended: string },
  args: Values,
): Promise<Kept> {
  const words = plan.calls.map(wordOf);
  expect(stopped.failed).toContain(`${ended}: ${words[step]}`);
  if (step > 0) expect(stopped.failed).toContain(`done: ${words.slice(0, step).join(", ")}`);
  if (step + 1 < words.length) expect(stopped.failed).toContain(`not tried: ${words.slice(step + 1).join(", ")}`);
  world.emulator.settle();
  world.restart();
  // What landed is in the state; what changed nothing is not.
  const { changes } = world.service.preview(stopped, args);
  // Pulumi: after an operation that ended early there is an update in any case. What the record shows is left to the engine.
  const isDropped = args["vpcId"] === undefined && stopped.outputs["vpcId"] !== undefined;
  const isShown = isDropped || Object.keys(args).some((key) => !isAsWanted(undefined, args[key], stopped.outputs[key]));
  expect(changes).toBe(isShown || !stopped.outputs["__pending"] ? undefined : true);
  return done(world.service.update(stopped, args));
}

/** A password that is set first is done with its 2xx, whatever the status says. */
function isFatalFor(way: Way, plan: Change, step: number): boolean {
  const isStuckPassword = way.fault.kind === "stuck" && plan.calls[step] === "updatePassword";
  return isStuckPassword ? step > 0 : way.isFatal;
}

function changesOf(id: string): string[] {
  const changes = world.emulator.ledger().filter((entry) => entry.id === id && entry.event === "changed");
  return changes.map((entry) => entry.operation ?? "");
}

/**
 * What took effect since the plan began. A password cannot be looked up, so the safe thing is to set it again, and twice
 * counts as once; everything else must be done once.
 */
function committed(id: string): string[] {
  const calls = changesOf(id).slice(callsBefore.get(id) ?? 0);
  return calls.filter((call, index) => call !== "updatePassword" || calls[index - 1] !== call);
}
