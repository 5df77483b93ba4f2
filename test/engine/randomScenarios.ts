// The invariant machine on the real engine: its random programs, edits and drift, driven through the real CLI and the
// real provider process in bad weather of milliseconds, judged by the same judge. The same seed gives the same program,
// the same acts and the same weather; the order of requests is the engine's.

import type { CustomResource } from "@pulumi/pulumi";
import type { Emulator, EmulatorOptions, RequestRecord } from "../../emulator/index";
import { Peering, ReadReplicaSet, Service, Vpc } from "../../provider/index";
import type { Values } from "../../provider/lifecycle/resource";
import { lookAround } from "../invariants/command";
import { resolve } from "../invariants/declared";
import { drift, type Scene } from "../invariants/drift";
import { createJudge, type Violation } from "../invariants/judge";
import { adoptable, comeToTerms, editProgram, forcible } from "../invariants/person";
import type { Kind } from "../support/providerProcess";
import { writeProgram, type Program } from "../invariants/program";
import { createRandom, type Random } from "../support/random";
import { succeed } from "../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";
import type { InlineStack } from "../support/inlineStack";
import { note, openAccount, stateOf, testify, type Account } from "./engineEvents";

export interface Told {
  violations: Violation[];
  /** What was done and what was said. */
  lines: string[];
}

type Does = "up" | "refresh" | "destroy";

interface Weather {
  words: string;
  begin(emulator: Emulator): void;
}

interface Stage extends Scene {
  /** Whether the program fails once it has declared everything. */
  fate: { isBroken: boolean };
  world: EngineWorld;
  engine: InlineStack;
  lines: string[];
}

/** Long enough for whatever happens in milliseconds; as long as a create looks for what a lost answer made. */
const TIMEOUT = "8s";
const LAG_MS = 200;
/** The server's clock is behind, so that nothing is so young that a refresh would not believe that it is gone. */
const serverNow = (): number => Date.now() - 3 * 60_000;
const FAIR: Weather = { words: "fair", begin: () => undefined };

export async function tellOnEngine(seed: number): Promise<Told> {
  const random = createRandom(seed);
  const stage = await openStage(random);
  try {
    await playAll(stage, random);
    await calmDown(stage);
  } finally {
    await stage.world.close();
  }
  return { violations: stage.judge.violations, lines: stage.lines };
}

async function openStage(random: Random): Promise<Stage> {
  const judge = createJudge(() => world.emulator);
  const world = await openEngineWorld({
    ...climateOf(random),
    now: serverNow,
    onRequest(record) {
      if (record.userAgent?.startsWith("pulumi-dbcloud") === true) judge.requested(record);
    },
  });
  judge.isSecret(world.emulator.apiKey);
  const program = writeProgram(random);
  const fate = { isBroken: false };
  const declare = (): Promise<void> => {
    declareAll(program);
    return fate.isBroken ? Promise.reject(new Error("the program fails")) : Promise.resolve();
  };
  const engine = await world.open(declare, { project: "story" });
  const state = { entries: new Map(), replaced: [] };
  return { world, engine, emulator: world.emulator, judge, program, state, fate, lines: [] };
}

function climateOf(random: Random): EmulatorOptions {
  return {
    seed: random.seed(),
    stale: random.pick([{}, {}, { reads: 1 + random.below(3) }, { ms: random.below(LAG_MS), comesBack: 1 }]),
    listLag: random.pick([{}, {}, { ms: random.below(LAG_MS) }]),
    notFoundAfterCreate: random.pick([{}, {}, { reads: 1 + random.below(3) }, { ms: random.below(LAG_MS) }]),
    switches: { vpcStatus: random.isLucky(0.5), busyStatus: random.pick([409, 423]), nullFields: random.isLucky(0.3) },
  };
}

const GUSTS = ["429", "403 on a change", "lost create", "down"] as const;

function weatherOf(random: Random, gust = random.pick(GUSTS)): Weather {
  const [rate, seed] = [random.pick([0, 0.02, 0.05, 0.1]), random.seed()];
  const [skip, times, ms] = [random.below(12), 1 + random.below(4), random.below(1_000)];
  return {
    words: `faults on ${rate * 100} %, ${gust}`,
    begin({ faults }) {
      const headers = { "Retry-After": "0" };
      if (gust === "429") faults.add({ kind: "status", status: 429, headers, skip, times });
      const isCreate = ({ operation }: RequestRecord): boolean => /^(create|fork)/.test(operation ?? "");
      if (gust === "lost create") faults.add({ kind: "lostAfter", match: isCreate, skip: skip % 2 });
      const isChange = (request: RequestRecord): boolean => request.method === "POST" && !isCreate(request);
      if (gust === "403 on a change") faults.add({ kind: "status", status: 403, match: isChange, skip: skip % 2 });
      // It begins with a request: before the first one, the engine is busy with itself for seconds.
      let left = skip + 1;
      const goesDown = (): boolean => {
        left -= 1;
        if (left === 0) faults.add({ kind: "down", ms });
        return left === 0;
      };
      if (gust === "down") faults.add({ kind: "lostBefore", match: goesDown });
      if (rate > 0) faults.random({ seed, rate, kinds: ["lostBefore", "lostAfter", "status", "html", "truncate"] });
    },
  };
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

async function playAll(stage: Stage, random: Random): Promise<void> {
  const { lines } = stage;
  const up = (): Promise<Account> => {
    const adopt = random.isLucky(0.7) ? adoptable(stage) : [];
    return command(stage, "up", weatherOf(random), adopt);
  };
  // What matters most is in every story.
  await command(stage, "up", weatherOf(random, "lost create"));
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    const isDrifting = random.isLucky(0.3);
    if (isDrifting) {
      lines.push(`drift: ${drift(stage, random)}`);
      await command(stage, "refresh", weatherOf(random));
    } else {
      for (let edits = 1 + random.below(2); edits > 0; edits -= 1) lines.push(`edit: ${editProgram(stage, random)}`);
      await up();
    }
  }
  if (random.isLucky(0.4)) await force(stage, random);
  if (random.isLucky(0.2)) await command(stage, "destroy", weatherOf(random));
}

/** A person forces a replacement, and does what the worst advice says; then the program may fail. */
async function force(stage: Stage, random: Random): Promise<void> {
  const victim = random.pickFrom(forcible(stage));
  const [adopt, isBroken] = [random.isLucky(0.8), random.isLucky(0.6)];
  if (victim === undefined) return;
  stage.fate.isBroken = isBroken;
  await command(stage, "up", weatherOf(random), adopt ? [victim.id] : [], victim.logical);
  stage.fate.isBroken = false;
}

const ROUNDS = 3;

/** Once faults stop, a few more runs make state and server the same; another one has nothing left to do. */
async function calmDown(stage: Stage): Promise<void> {
  const { emulator, judge, state, lines } = stage;
  lines.push("calm");
  emulator.settle();
  await command(stage, "refresh", FAIR);
  for (let round = 1; round <= ROUNDS; round += 1) {
    comeToTerms(stage);
    await letGo(stage);
    const ids = adoptable(stage);
    if (round > 1 && ids.length === 0 && judge.failures.length === 0) break;
    await command(stage, "up", FAIR, ids);
  }
  judge.compare(state);
  const [ledger, requests] = [emulator.ledger().length, emulator.requests().length];
  const { summary } = await command(stage, "up", FAIR);
  const changes = Object.entries(summary).filter(([op, count]) => op !== "same" && count > 0);
  if (changes.length > 0) judge.blame("untrue", `an equal program changed ${JSON.stringify(summary)}`);
  const calls = emulator.requests().slice(requests);
  const asked = calls.filter(({ userAgent }) => userAgent?.startsWith("pulumi-dbcloud") === true);
  if (emulator.ledger().length > ledger || asked.length > 0)
    judge.blame("untrue", `an equal program called ${asked.map((one) => one.operation).join(", ")}`);
  for (const { text } of judge.failures) judge.blame("untrue", `it still fails in calm: ${text}`);
}

/** Pulumi: what is protected goes only after a word to the engine; the provider's own protection stays as it is. */
async function letGo({ world, engine, program, state }: Stage): Promise<void> {
  const declared = new Set(program.declared.map(({ logical }) => logical));
  if ([...state.entries.keys()].every((logical) => declared.has(logical))) return;
  await succeed(world.pulumi(["state", "unprotect", "--all", "--yes", "--stack", "dev"], engine.workDir));
}

async function command(
  stage: Stage,
  does: Does,
  weather: Weather,
  adopt: readonly string[] = [],
  forced?: string,
): Promise<Account> {
  const { engine, emulator, judge, state, program, lines } = stage;
  const requests = emulator.requests().length;
  weather.begin(emulator);
  judge.begin(serverNow());
  for (const { args } of program.declared) if (typeof args["password"] === "string") judge.isSecret(args["password"]);
  const account = await run(stage, does, adopt, forced);
  emulator.faults.clear();
  const before = { entries: new Map(state.entries), replaced: [...state.replaced] };
  Object.assign(state, stateOf((await engine.stack.exportStack()).deployment as Parameters<typeof stateOf>[0]));
  testify(judge, account, before, state, program, forced);
  for (const line of engine.text().split("\n")) judge.said(line);
  judge.review(state, false);
  const adopting = adopt.length === 0 ? "" : ` adopting ${adopt.join(", ")}`;
  const done = `${emulator.requests().length - requests} requests, ${JSON.stringify(account.summary)}`;
  const replacing = forced === undefined ? "" : ` replacing ${forced} by force`;
  lines.push(`${does}${replacing}${adopting} (${weather.words}): ${done}`);
  for (const { text } of judge.failures)
    lines.push(
      ...text
        .trim()
        .split("\n")
        .map((line) => `  ! ${line}`),
    );
  await lookAround(emulator);
  await new Promise((later) => setTimeout(later, LAG_MS));
  return account;
}

/** Whatever comes of it: a command that fails is part of the story. */
async function run(
  { engine, judge }: Stage,
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
    await engine.stack[does]({ ...options, onOutput: said, onError: said, onEvent: (event) => note(account, event) });
  } catch (error) {
    said(String(error));
    // A program or a CLI that fails by itself has no event for it.
    if (account.errors.length === 0) account.errors.push({ urn: "", text: String(error) });
  }
  delete envVars["DBCLOUD_ADOPT"];
  return account;
}
