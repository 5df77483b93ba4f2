// The parts of a run: a server with its conditions, one clock, one connection, a program and its state, and the judge.

import { createEmulator, type RequestRecord } from "../../emulator/index";
import type { Form } from "../../provider/pulumi/stateNames";
import { createTransport } from "../../provider/api/http/transport";
import { createNotes } from "../../provider/core/runView";
import { createTestClock } from "../support/clock";
import { Judge } from "./judge/judge";
import type { State } from "./engine/state";
import type { DrawnFault } from "./operator/acts";
import { randomProgram } from "./operator/edit";
import { createRandom, type Random } from "../support/random";
import { conditionsOf } from "./conditions";
import { createWire } from "./engine/wire";

/** Counts of what happened, by name. */
export type Counts = Record<string, number>;

export type Simulation = Awaited<ReturnType<typeof openSimulation>>;

export function count(counts: Counts, what: string, by = 1): void {
  counts[what] = (counts[what] ?? 0) + by;
}

/** `isDetailed`: the log has each request. */
export async function openSimulation(random: Random, form: Form, isDetailed: boolean) {
  const conditions = conditionsOf(random, form);
  const clock = createTestClock();
  const counts: Counts = {};
  /** The log of the run so far. */
  const lines: string[] = [];
  const judge = new Judge(
    () => emulator,
    () => clock.now(),
  );
  const emulator = await createEmulator({
    ...conditions.options,
    seed: random.seed(),
    now: () => clock.now(),
  });
  emulator.watchRequests((record) => {
    if (record.userAgent?.startsWith("pulumi-dbcloud") !== true) return;
    judge.requested(record);
    count(counts, "requests");
    if (isDetailed) lines.push(`  ${wordsOf(record)}`);
    for (const kind of record.fault?.split("+") ?? []) count(counts, `fault ${kind}`);
    if (record.status === 429 && record.fault === undefined) count(counts, "fault rate limit");
  });
  judge.secrets.add(emulator.apiKey);
  const transport = createTransport({ baseUrl: emulator.baseUrl, connections: 4, environment: {} });
  const wire = createWire(transport, clock, createRandom(random.seed()));
  const program = randomProgram(random);
  const state: State = { entries: new Map(), replaced: [] };
  return {
    form,
    conditions,
    emulator,
    clock,
    wire,
    judge,
    program,
    state,
    lines,
    counts,
    /** The faults of this command that are counted by name. */
    drawn: [] as DrawnFault[],
    /** What each run of this user tells the later ones. */
    notes: createNotes(),
    async close(): Promise<void> {
      await wire.close();
      await emulator.close();
      clock.close();
    },
  };
}

function wordsOf({ at, method, path, body, status, fault, committed }: RequestRecord): string {
  const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
  const end = `${status ?? "no answer"}${committed ? ", done" : ""}${fault === undefined ? "" : `, ${fault}`}`;
  return `${new Date(at).toISOString().slice(11, 23)} ${method} ${path}${sent}: ${end}`;
}
