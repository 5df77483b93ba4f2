// Random programs of the invariant tests, without faults: after random changes by hand the command `drift` names
// exactly the properties that a refresh and a preview name, and after an up it reports none.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTransport } from "../../provider/api/http/transport";
import type { Finding, Report } from "../../cli/drift/findings";
import type { KindName } from "../../cli/drift/kinds";
import { runProgram } from "../../cli/program";
import { isEqual, type Values } from "../../provider/domain/values/value";
import { visible } from "../../provider/lifecycle/state/state";
import { exported } from "../cli/drift/scene";
import { createRandom, seedOf } from "../support/random";
import { command } from "./command";
import { resolve } from "./operator/declared";
import { drift } from "./operator/drift";
import { refresh } from "./engine/engine";
import { NO_FAULTS } from "./faultSchedule";
import type { Entry, State } from "./judge/observer";
import { startProcess } from "./engine/process";
import { openSimulation, type Simulation } from "./simulation";

const MINUTE_MS = 60_000;
const CHANGES = 4;

const classes: Readonly<Record<Entry["kind"], KindName>> = {
  service: "Service",
  vpc: "Vpc",
  peering: "Peering",
  readReplicaSet: "ReadReplicaSet",
};

/** Runs the command, on the state as the engine would have written it. */
async function reportOf({ emulator, clock, program, state }: Simulation): Promise<Report> {
  const entries = program.declared.flatMap(({ logical }) => state.entries.get(logical) ?? []);
  const held = entries.map((entry) => [entry.logical, [classes[entry.kind], entry]] as const);
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-drift-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "state.json");
  writeFileSync(file, JSON.stringify(exported("dev", Object.fromEntries(held))));
  const { baseUrl, apiKey, projectId } = emulator;
  let out = "";
  await runProgram(["drift", "--json", "--state", file], {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      throw new Error(text);
    },
    cwd: folder,
    environment: { DBCLOUD_BASE_URL: baseUrl, DBCLOUD_API_KEY: apiKey, DBCLOUD_PROJECT_ID: projectId },
    clientParts: { clock, transport: clock.track(createTransport({ baseUrl, connections: 4, environment: {} })) },
  });
  return JSON.parse(out) as Report;
}

function inReport(findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) => {
    if (finding.category === "changed") return [`${finding.name}.${finding.property}`];
    return finding.category === "missing" ? [`${finding.name} is missing`] : [];
  });
}

/** The properties that `preview --refresh` names, by the handlers and the engine model; the state is not changed. */
async function inPreview(simulation: Simulation, seed: number): Promise<string[]> {
  const { emulator, clock, wire, program, judge } = simulation;
  const { baseUrl, apiKey, projectId } = emulator;
  const start = () =>
    startProcess({
      baseUrl,
      apiKey,
      projectId,
      wire,
      clock,
      adopt: [],
      kill: undefined,
      refusedShare: 0,
      random: createRandom(seed),
      say: () => undefined,
      count: () => undefined,
    });
  const before = simulation.state.entries;
  const state: State = { entries: new Map([...before].map(([key, entry]) => [key, { ...entry }])), replaced: [] };
  await refresh({ process: start(), state, observer: judge });
  // Pulumi: the program is compared in a separate provider process.
  const process = start();
  return program.declared.flatMap(({ logical, kind, args }) => {
    if (!before.has(logical)) return [];
    const entry = state.entries.get(logical);
    if (entry === undefined) return [`${logical} is missing`];
    const urn = `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:${kind}::${logical}`;
    const given: Values = { ...resolve(args, (other) => before.get(other)?.id), __urn: urn, __defaultName: logical };
    const { inputs } = process[kind].check(entry.inputs, given);
    const { changes } = process[kind].diff(entry.id, entry.outputs, { ...inputs, __urn: urn });
    if (changes === false) return [];
    const [olds, news] = [visible(entry.inputs), visible(inputs)];
    const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])];
    return keys.filter((key) => !isEqual(olds[key], news[key])).map((key) => `${logical}.${key}`);
  });
}

async function open(seed: number): Promise<Simulation> {
  const simulation = await openSimulation(createRandom(seed), false);
  onTestFinished(() => simulation.close());
  const { settings } = simulation.emulator;
  // Without lag and staleness: only changes by hand make a difference.
  Object.assign(settings, { stale: {}, notFoundAfterCreate: {}, rateLimit: undefined });
  return simulation;
}

test("eight random programs: the report and the preview agree property by property", async () => {
  const named: string[] = [];
  for (let run = 0; run < 8; run += 1) {
    const seed = seedOf(18, run);
    const simulation = await open(seed);
    const { clock, emulator, judge, state } = simulation;
    const random = createRandom(seed);
    const order = (does: "up" | "refresh"): Promise<void> =>
      command(simulation, { does, adopt: [], schedule: NO_FAULTS, seed: random.seed() });
    await order("up");
    emulator.settle();
    await clock.sleep(30 * MINUTE_MS);
    const changes = Array.from({ length: CHANGES }, () => drift(simulation, random));
    const kept = structuredClone([...state.entries]);
    const report = await reportOf(simulation);
    const preview = await inPreview(simulation, random.seed());
    expect.soft(inReport(report.findings).toSorted(), `run ${run}: ${changes.join("; ")}`).toEqual(preview.toSorted());
    expect([...state.entries]).toEqual(kept);
    named.push(...preview);

    await order("refresh");
    await order("up");
    emulator.settle();
    if (judge.failures.length > 0) continue;
    const left = inReport((await reportOf(simulation)).findings);
    expect.soft(left, `run ${run} after the up`).toEqual([]);
  }
  expect(named.length).toBeGreaterThan(10);
});
