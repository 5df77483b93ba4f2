// What a walk works on: one emulator, two stacks of one project, their programs, and what is known of all of them.

import { defaultTimings } from "../../../emulator/index";
import type { Form } from "../../../provider/pulumi/stateNames";
import type { Counts } from "../../invariants/simulation";
import type { DrawnFault } from "../../invariants/operator/acts";
import type { Declared } from "../../invariants/operator/declared";
import type { InlineStack } from "../../support/cli/inlineStack";
import type { StateResource } from "../../support/cli/project";
import { openEngineWorld } from "../../support/engineWorld";
import { Judge } from "../../invariants/judge/judge";
import { look, type Look } from "./look";
import type { StackName } from "./model";

export type Machine = Awaited<ReturnType<typeof openMachine>>;

/** Waits are scaled here (see `engineWorld.ts`), and an outage of a minute with them. */
export const TIME_SCALE = 0.01;

/** The server's clock is behind, so that nothing is so young that a refresh would not believe that it is gone. */
const serverNow = (): number => Date.now() - 3 * 60_000;

export async function openMachine(seed: number, form: Form) {
  const timings = Object.fromEntries(Object.keys(defaultTimings).map((step) => [step, 4]));
  const world = await openEngineWorld({ seed, timings, now: serverNow });
  const judge = new Judge(() => world.emulator, serverNow, TIME_SCALE);
  const open = (name: StackName): Promise<InlineStack> =>
    world.open(() => Promise.resolve(), { project: "walk", name });
  judge.secrets.add(world.emulator.apiKey);
  const programs: Record<StackName, Declared[]> = { dev: [], other: [] };
  const lines: string[] = [];
  const counts: Counts = {};
  return {
    form,
    world,
    stacks: { dev: await open("dev"), other: await open("other") },
    programs,
    judge,
    /** `@dev/db1` → the last id of that resource. */
    ids: new Map<string, string>(),
    /** Whether the states may not be what the server has. */
    isStale: false,
    /** Pulumi has written a state that it cannot read. */
    isBroken: false,
    /** What the last command changed on the server, or that it failed and changed nothing. */
    ends: "",
    /** The steps, and what was called and seen, for whoever reads a failure. */
    lines,
    counts,
    /** The faults of this command that are counted by name. */
    drawn: [] as DrawnFault[],
  };
}

export function lookAt({ world, stacks }: Machine): Look {
  return look(world.emulator, stacks);
}

export function count({ counts }: Machine, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

export function resolved({ ids }: Machine, reference: unknown): string {
  return ids.get(String(reference)) ?? String(reference);
}

export function resourceOf({ stacks }: Machine, stack: StackName, name: string): StateResource | undefined {
  return stacks[stack].state().deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`));
}
