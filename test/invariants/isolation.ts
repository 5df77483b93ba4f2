// One object fails and everything else works: a service whose GET always fails, an unreadable foreign service, or a
// change that is always refused. All other resources of the same command must succeed in their usual time.

import type { OperationName, RequestRecord } from "../../emulator/index";
import type { Random } from "../support/random";
import { command, type CommandOptions } from "./command";
import { needsOf, type Declared } from "./operator/declared";
import { NO_FAULTS, type FaultSchedule } from "./faultSchedule";
import type { Entry } from "./engine/state";
import type { Result } from "./judge/judge";
import { fresh, REGIONS, SIZES } from "./operator/program";
import { count, type Simulation } from "./simulation";
import { factsOf } from "./judge/truth";

export const ISOLATIONS = ["failing read", "unreadable", "refusal"] as const;

export type Isolation = (typeof ISOLATIONS)[number];

const MINUTE_MS = 60_000;
/**
 * A change of a service, and of three of its replica sets, one after the other. No step of any server takes longer than 90
 * seconds; deadlines are 45 minutes.
 */
const LONGEST_MS = 7 * MINUTE_MS;
/** Of one call. An error hook makes a second one. */
const MOST_SENDS = 10;

/** The simulation must be free of faults, and its state equal to the server's. */
export function isolate(simulation: Simulation, kind: Isolation, random: Random): Promise<void> {
  if (kind === "unreadable") return unreadable(simulation, random);
  return kind === "failing read" ? failingRead(simulation, random) : refusal(simulation, random);
}

async function failingRead(simulation: Simulation, random: Random): Promise<void> {
  const { state, program, clock, judge } = simulation;
  const victim = random.pickFrom([...state.entries.values()].filter(({ kind }) => kind === "service"));
  if (victim === undefined) return;
  count(simulation.counts, "fault one failing read");
  const forMs = random.pick([Number.POSITIVE_INFINITY, random.below(5 * MINUTE_MS)]);
  const status = random.pick([500, 502, 504]);
  const untilMs = clock.now() + forMs;
  const begin: FaultSchedule["begin"] = ({ emulator: { faults } }) => {
    const match = (request: Readonly<RequestRecord>): boolean => request.at < untilMs && concerns(request, victim.id);
    faults.add({ kind: "status", status, operation: "getService", times: Infinity, match });
  };
  const words = `GET of ${victim.logical} answers ${status} for ${forMs} ms`;
  const affected = withDependents(program.declared, victim.logical);
  resizeAll(simulation, random);
  addService(simulation, random);
  for (const does of ["up", "refresh"] as const) {
    const results = await observe(simulation, { does, seed: random.seed(), words, begin, affected });
    const own = results.find(({ logical }) => logical === victim.logical)?.failure;
    if (own === undefined) continue;
    if (forMs < Infinity) judge.blame("held up", `${words}, and ${victim.logical} did not wait so long: ${own.text}`);
    else if (!own.text.includes(String(status))) judge.blame("untrue", `${words}, which is not said: ${own.text}`);
  }
}

/** Fields of a service that violate the contract. */
const UNREADABLE = [{ endpoint: { host: "db.example.com", port: "5432" } }, { status: 7 }];

async function unreadable(simulation: Simulation, random: Random): Promise<void> {
  const { emulator, judge } = simulation;
  count(simulation.counts, "fault one unreadable");
  const wire = random.pick(UNREADABLE);
  const { id } = emulator.mutate.createService({ name: `foreign-${random.seed()}`, wire });
  judge.foreign.add(id);
  const words = `somebody else's service ${id} shows ${JSON.stringify(wire)}`;
  resizeAll(simulation, random);
  addService(simulation, random);
  for (const does of ["up", "refresh"] as const) {
    await observe(simulation, { does, seed: random.seed(), words });
  }
}

/** A call that is always refused, and the edit that makes the program send it. Undefined if no edit does. */
type Refusable = (
  simulation: Simulation,
  random: Random,
) => { operation: OperationName; logical: string; id: string } | undefined;

const REFUSABLE: readonly Refusable[] = [
  (simulation, random) => {
    const resized = resizeAll(simulation, random).filter(({ kind }) => kind === "service");
    const victim = random.pickFrom(resized);
    return victim && { operation: "resize", logical: victim.logical, id: victim.id };
  },
  (simulation, random) => {
    const { program } = simulation;
    const parent = random.pickFrom(running(simulation).filter(({ kind }) => kind === "service"));
    if (parent === undefined) return undefined;
    const logical = fresh(program, "readReplicaSet");
    const args = { serviceId: { ref: parent.logical }, name: fresh(program, "reads"), nodes: 1, ...SIZES[0] };
    program.declared.push({ logical, kind: "readReplicaSet", args });
    return { operation: "createReplicaSet", logical, id: parent.id };
  },
  ({ program, state }, random) => {
    const needed = new Set(program.declared.flatMap(({ args }) => needsOf(args)));
    const free = [...state.entries.values()].filter(
      ({ kind, logical, outputs }) =>
        kind === "service" &&
        !needed.has(logical) &&
        outputs["deletionProtection"] !== true &&
        outputs["environment"] !== "PROD",
    );
    const victim = random.pickFrom(free);
    if (victim === undefined) return undefined;
    program.declared = program.declared.filter(({ logical }) => logical !== victim.logical);
    return { operation: "deleteService", logical: victim.logical, id: victim.id };
  },
];

async function refusal(simulation: Simulation, random: Random): Promise<void> {
  const { emulator, judge } = simulation;
  const refused = random.pick(REFUSABLE)(simulation, random);
  if (refused === undefined) return;
  count(simulation.counts, "fault one refusal");
  const { operation, logical, id } = refused;
  const status = random.pick([409, 423]);
  const message = random.pick(["not part of this plan", "service limit of the plan reached", "already exists"]);
  const words = `${operation} of ${logical} is refused for good (${status} ${message})`;
  const begin: FaultSchedule["begin"] = ({ emulator: { faults } }) => {
    const match = (request: Readonly<RequestRecord>): boolean => concerns(request, id);
    faults.add({ kind: "status", status, body: { code: "CONFLICT", message }, operation, times: Infinity, match });
  };
  const affected = withDependents(simulation.program.declared, logical);
  const before = emulator.requests().length;
  const results = await observe(simulation, { does: "up", seed: random.seed(), words, begin, affected });
  const sent = emulator.requests().slice(before);
  const sends = sent.filter((one) => one.operation === operation && concerns(one, id) && one.status === status).length;
  const calls = results.filter((one) => one.logical === logical);
  const [own] = calls;
  if (own === undefined) return judge.blame("held up", `${words}, and was not sent at all`);
  if (sends > MOST_SENDS * calls.length) judge.blame("held up", `${words}, and was sent ${sends} times`);
  if (own.failure?.text.includes(message) !== true)
    judge.blame("untrue", `${words}, which is not said: ${own.failure?.text ?? "it succeeded"}`);
  if (own.elapsedMs > LONGEST_MS) judge.blame("held up", `${words}, and it took ${own.elapsedMs} ms to say so`);
}

function concerns({ params }: Readonly<RequestRecord>, id: string): boolean {
  return Object.values(params).includes(id);
}

interface Observation extends Pick<CommandOptions, "does" | "seed"> {
  /** What fails, for the log. */
  words: string;
  begin?: FaultSchedule["begin"];
  /** The resources that may fail with it. */
  affected?: ReadonlySet<string>;
}

/** Runs a command, in which all others must succeed, and returns the result for each resource that it operated on. */
async function observe(
  simulation: Simulation,
  { does, seed, words, begin = () => undefined, affected = new Set() }: Observation,
): Promise<readonly Result[]> {
  const { judge } = simulation;
  await command(simulation, { does, seed, adopt: [], schedule: { ...NO_FAULTS, words: [words], begin } });
  for (const { logical, failure, elapsedMs } of judge.results) {
    if (affected.has(logical)) continue;
    if (failure !== undefined) judge.blame("held up", `${words}, and ${logical} failed: ${failure.text}`);
    else if (elapsedMs > LONGEST_MS) judge.blame("held up", `${words}, and ${logical} took ${elapsedMs} ms`);
  }
  return judge.results;
}

/** Gives every running service and replica set another size: the command must change each and wait for it. */
function resizeAll(simulation: Simulation, random: Random): Entry[] {
  const { program } = simulation;
  const facts = factsOf(simulation.emulator.state());
  const entries = running(simulation);
  for (const { logical, id } of entries) {
    const declared = program.declared.find((one) => one.logical === logical);
    const now = facts.find((fact) => fact.id === id)?.values["cpuMillis"];
    const size = random.pick(SIZES.filter(({ cpuMillis }) => cpuMillis !== now));
    if (declared !== undefined) declared.args = { ...declared.args, ...size };
  }
  return entries;
}

function addService({ program }: Simulation, random: Random): void {
  const args = { name: fresh(program, "db"), regionCode: random.pick(REGIONS), ...random.pick(SIZES) };
  program.declared.push({ logical: fresh(program, "service"), kind: "service", args });
}

function running({ state, emulator }: Simulation): Entry[] {
  const ids = new Set(
    factsOf(emulator.state())
      .filter(({ status }) => /^(ready|active)$/i.test(status))
      .map(({ id }) => id),
  );
  return [...state.entries.values()].filter(
    ({ kind, id }) => (kind === "service" || kind === "readReplicaSet") && ids.has(id),
  );
}

/** A resource, and everything that depends on it. */
function withDependents(declared: readonly Declared[], logical: string): Set<string> {
  const affected = new Set([logical]);
  // Parents come before children.
  for (const one of declared) if (needsOf(one.args).some((need) => affected.has(need))) affected.add(one.logical);
  return affected;
}
