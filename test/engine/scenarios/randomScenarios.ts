// The invariant tests on the real engine: its random programs, edits and drift, driven through the real CLI and the
// real provider process under faults of milliseconds, judged by the same judge. The same seed gives the same program,
// the same actions and the same faults; the order of requests is the engine's.

import type { CustomResource } from "@pulumi/pulumi";
import { Peering, ReadReplicaSet, Service, Vpc } from "../../../provider/index";
import type { Values } from "../../../provider/domain/values/value";
import { readByOthers } from "../../invariants/command";
import { resolve } from "../../invariants/operator/declared";
import { drift, type Scene } from "../../invariants/operator/drift";
import { type Violation } from "../../invariants/judge/evidence";
import { createJudge } from "../../invariants/judge/judge";
import { adoptable, resolveConflicts, editProgram, forcible } from "../../invariants/operator/operatorActions";
import type { Kind } from "../../support/providerProcess";
import { randomProgram, type Program } from "../../invariants/operator/program";
import { createRandom, type Random } from "../../support/random";
import { succeed } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import type { InlineStack } from "../../support/cli/inlineStack";
import { conditionsOf, type FaultSchedule, faultScheduleOf, LAG_MS, NO_FAULTS } from "./engineFaults";
import { note, openAccount, PROGRAM_FAILS, stateOf, report, type Account } from "./engineEvents";

export interface Outcome {
  violations: Violation[];
  /** What was done and what was said. */
  lines: string[];
}

type Does = "up" | "refresh" | "destroy";

interface Simulation extends Scene {
  /** Whether the program fails once it has declared everything. */
  fate: { isBroken: boolean };
  world: EngineWorld;
  engine: InlineStack;
  lines: string[];
}

/** Long enough for whatever happens in milliseconds; as long as a create looks for what a lost answer made. */
const TIMEOUT = "8s";
/** The server's clock is behind, so that nothing is so young that a refresh would not believe that it is gone. */
const serverNow = (): number => Date.now() - 3 * 60_000;
export async function runOnEngine(seed: number): Promise<Outcome> {
  const random = createRandom(seed);
  const simulation = await openSimulation(random);
  try {
    await performAll(simulation, random);
    await recover(simulation);
  } finally {
    await simulation.world.close();
  }
  return { violations: simulation.judge.violations, lines: simulation.lines };
}

async function openSimulation(random: Random): Promise<Simulation> {
  const judge = createJudge(() => world.emulator);
  const world = await openEngineWorld({
    ...conditionsOf(random),
    now: serverNow,
    onRequest(record) {
      if (record.userAgent?.startsWith("pulumi-dbcloud") === true) judge.requested(record);
    },
  });
  judge.noteSecret(world.emulator.apiKey);
  const program = randomProgram(random);
  const fate = { isBroken: false };
  const declare = (): Promise<void> => {
    declareAll(program);
    return fate.isBroken ? Promise.reject(new Error(PROGRAM_FAILS)) : Promise.resolve();
  };
  const engine = await world.open(declare, { project: "scenario" });
  const state = { entries: new Map(), replaced: [] };
  return { world, engine, emulator: world.emulator, judge, program, state, fate, lines: [] };
}

function declareAll({ declared }: Program): void {
  const made = new Map<string, CustomResource>();
  for (const { logical, kind, args } of declared) {
    const inputs = resolve(args, (needed) => made.get(needed)?.id);
    made.set(
      logical,
      make(kind, logical, { ...inputs, timeouts: { create: TIMEOUT, update: TIMEOUT, delete: TIMEOUT } }),
    );
  }
}

function make(kind: Kind, logical: string, args: Values): CustomResource {
  switch (kind) {
    case "service":
      return new Service(logical, args);
    case "vpc":
      return new Vpc(logical, args as Values & ConstructorParameters<typeof Vpc>[1]);
    case "peering":
      return new Peering(logical, args as Values & ConstructorParameters<typeof Peering>[1]);
    default:
      return new ReadReplicaSet(logical, args as Values & ConstructorParameters<typeof ReadReplicaSet>[1]);
  }
}

async function performAll(simulation: Simulation, random: Random): Promise<void> {
  const { lines } = simulation;
  const up = (): Promise<Account> => {
    const adopt = random.isLucky(0.7) ? adoptable(simulation) : [];
    return command(simulation, "up", faultScheduleOf(random), adopt);
  };
  // What matters most is in every scenario.
  await command(simulation, "up", faultScheduleOf(random, "lost create"));
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    const isDrifting = random.isLucky(0.3);
    if (isDrifting) {
      lines.push(`drift: ${drift(simulation, random)}`);
      await command(simulation, "refresh", faultScheduleOf(random));
    } else {
      for (let edits = 1 + random.below(2); edits > 0; edits -= 1)
        lines.push(`edit: ${editProgram(simulation, random)}`);
      await up();
    }
  }
  if (random.isLucky(0.4)) await force(simulation, random);
  if (random.isLucky(0.2)) await command(simulation, "destroy", faultScheduleOf(random));
}

/** A user forces a replacement and adopts what is to be replaced; then the program may fail. */
async function force(simulation: Simulation, random: Random): Promise<void> {
  const victim = random.pickFrom(forcible(simulation));
  const [adopt, isBroken] = [random.isLucky(0.8), random.isLucky(0.6)];
  if (victim === undefined) return;
  simulation.fate.isBroken = isBroken;
  await command(simulation, "up", faultScheduleOf(random), adopt ? [victim.id] : [], victim.logical);
  simulation.fate.isBroken = false;
}

const ROUNDS = 3;

/** Once faults stop, a few more runs make state and server the same; another one has nothing left to do. */
async function recover(simulation: Simulation): Promise<void> {
  const { emulator, judge, state, lines } = simulation;
  lines.push("no more faults");
  emulator.settle();
  await command(simulation, "refresh", NO_FAULTS);
  for (let round = 1; round <= ROUNDS; round += 1) {
    resolveConflicts(simulation);
    await letGo(simulation);
    const ids = adoptable(simulation);
    if (round > 1 && ids.length === 0 && judge.failures.length === 0) break;
    await command(simulation, "up", NO_FAULTS, ids);
  }
  judge.compare(state);
  const [ledger, requests] = [emulator.ledger().length, emulator.requests().length];
  const { summary } = await command(simulation, "up", NO_FAULTS);
  const changes = Object.entries(summary).filter(([op, count]) => op !== "same" && count > 0);
  if (changes.length > 0) judge.blame("untrue", `an equal program changed ${JSON.stringify(summary)}`);
  const calls = emulator.requests().slice(requests);
  const asked = calls.filter(({ userAgent }) => userAgent?.startsWith("pulumi-dbcloud") === true);
  if (emulator.ledger().length > ledger || asked.length > 0)
    judge.blame("untrue", `an equal program called ${asked.map((one) => one.operation).join(", ")}`);
  for (const { text } of judge.failures) judge.blame("untrue", `it still fails without faults: ${text}`);
}

/** Pulumi: what is protected goes only after a word to the engine; the provider's own protection stays as it is. */
async function letGo({ world, engine, program, state }: Simulation): Promise<void> {
  const declared = new Set(program.declared.map(({ logical }) => logical));
  if ([...state.entries.keys()].every((logical) => declared.has(logical))) return;
  await succeed(world.pulumi(["state", "unprotect", "--all", "--yes", "--stack", "dev"], engine.workDir));
}

async function command(
  simulation: Simulation,
  does: Does,
  schedule: FaultSchedule,
  adopt: readonly string[] = [],
  forced?: string,
): Promise<Account> {
  const { engine, emulator, judge, state, program, lines } = simulation;
  const requests = emulator.requests().length;
  schedule.begin(emulator);
  judge.begin(serverNow());
  for (const { args } of program.declared) if (typeof args["password"] === "string") judge.noteSecret(args["password"]);
  const account = await run(simulation, does, adopt, forced);
  emulator.faults.clear();
  const before = { entries: new Map(state.entries), replaced: [...state.replaced] };
  Object.assign(state, stateOf((await engine.stack.exportStack()).deployment as Parameters<typeof stateOf>[0]));
  report(judge, { account, before, after: state, program, forced });
  for (const line of engine.text().split("\n")) judge.said(line);
  judge.review(state, false);
  const adopting = adopt.length === 0 ? "" : ` adopting ${adopt.join(", ")}`;
  const done = `${emulator.requests().length - requests} requests, ${JSON.stringify(account.summary)}`;
  const replacing = forced === undefined ? "" : ` replacing ${forced} by force`;
  lines.push(`${does}${replacing}${adopting} (${schedule.words}): ${done}`);
  for (const { text } of judge.failures)
    lines.push(
      ...text
        .trim()
        .split("\n")
        .map((line) => `  ! ${line}`),
    );
  await readByOthers(emulator);
  await new Promise((later) => setTimeout(later, LAG_MS));
  return account;
}

/** Whatever comes of it: a command that fails is part of the scenario. */
async function run(
  { engine, judge }: Simulation,
  does: Does,
  adopt: readonly string[],
  forced: string | undefined,
): Promise<Account> {
  const account = openAccount();
  const said = (text: string): void => text.split("\n").forEach((line) => judge.said(line));
  const { envVars } = engine.stack.workspace;
  if (adopt.length > 0) envVars["DBCLOUD_ADOPT"] = adopt.join(",");
  const urn = forced === undefined ? undefined : (await engine.resources())[forced]?.urn;
  const options = urn === undefined ? {} : { replace: [urn] };
  try {
    await engine.runner[does]({ ...options, onOutput: said, onError: said, onEvent: (event) => note(account, event) });
  } catch (error) {
    said(String(error));
    // A program or a CLI that fails by itself has no event for it.
    if (account.errors.length === 0) account.errors.push({ urn: "", text: String(error) });
  }
  delete envVars["DBCLOUD_ADOPT"];
  return account;
}
