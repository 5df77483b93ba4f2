// One command of a user: the engine runs with its own provider process under a fault schedule, and the judge checks it.

import type { Emulator } from "../../emulator/index";
import { destroy, imports, refresh, up, type Forcing } from "./engine/engine";
import { preview } from "./engine/preview";
import { countDrawn } from "./operator/acts";
import { isBelievable, wordsToAdopt } from "./operator/operatorActions";
import { type ProcessOptions, startProcesses } from "./engine/process";
import type { Wire } from "./engine/wire";
import { allOf, type Entry } from "./engine/state";
import { createRandom } from "../support/random";
import { namedByNone } from "./judge/judge";
import { count, type Simulation } from "./simulation";
import type { FaultSchedule } from "./faultSchedule";

export interface CommandOptions extends Forcing {
  does: "up" | "refresh" | "destroy" | "import";
  /** The ids to adopt (`DBCLOUD_ADOPT`). */
  adopt: readonly string[];
  schedule: FaultSchedule;
  seed: number;
}

/** How long a user waits before the next command: what an earlier one has sent may show later. */
const BETWEEN_COMMANDS_MS = [1_000, 20_000, 2 * 60_000];
/** More reads than any lag that is counted in reads. */
const READS_OF_OTHERS = 5;

export async function command(
  simulation: Simulation,
  { does, adopt, schedule, seed, forced, isBroken = false }: CommandOptions,
): Promise<void> {
  const { emulator, clock, wire, judge, state, lines, counts, drawn, notes } = simulation;
  // The operator looks into the console before this, and while nothing is down.
  const believesGone = schedule.isCalm && isBelievable(simulation);
  const extras = `${believesGone ? " believing that all is gone" : ""}${forced === undefined ? "" : ` replacing ${forced} by force`}${isBroken ? ", and the program fails" : ""}`;
  lines.push(
    `${does}${extras}${adopt.length === 0 ? "" : ` adopting ${adopt.join(", ")}`}${inBrackets(schedule.words)}`,
  );
  count(counts, "commands");
  const declared = new Set(simulation.program.declared.map(({ logical }) => logical));
  const isDropped = ({ logical, isPending }: Entry): boolean => isPending || !declared.has(logical);
  judge.begin(does === "up" ? namedByNone(allOf(state), isDropped) : []);
  schedule.begin(simulation);
  const requests = counts["requests"] ?? 0;
  const options: ProcessOptions = {
    form: simulation.form,
    baseUrl: emulator.baseUrl,
    apiKey: emulator.apiKey,
    projectId: emulator.projectId,
    wire,
    clock,
    random: createRandom(seed),
    adopt: wordsToAdopt(simulation, adopt),
    believesGone,
    notes,
    kill: schedule.kill,
    refusedShare: schedule.refusedShare,
    say: (line) => judge.said(line),
    warn: (line) => judge.said(line),
    sending: (by) => judge.sending(by),
    shown: (path, text) => judge.shown(path, text),
    count: (what) => count(counts, what),
  };
  if (does === "up") {
    const processes = startProcesses({ ...options, wire: noWire, kill: undefined });
    await preview({ processes, state, judge }, simulation.program.declared, forced);
  }
  const processes = startProcesses(options);
  const run = { processes, state, judge, count: (what: string) => count(counts, `option ${what}`) };
  if (does === "up") await up(run, simulation.program.declared, { forced, isBroken });
  else if (does === "refresh") await refresh(run);
  else if (does === "import") await imports(run);
  else await destroy(run);
  if (processes.isOver)
    count(counts, schedule.kill?.whose === "user" ? "fault Ctrl-C" : `fault ${schedule.kill?.whose} killed`);
  await processes.idle();
  countDrawn(drawn, (what) => count(counts, what));
  emulator.faults.clear();
  judge.review(allOf(state), processes.isKilled);
  lines.push(`  ${(counts["requests"] ?? 0) - requests} requests${processes.isOver ? ", ended early" : ""}`);
  for (const { text } of judge.failures) lines.push(...text.split("\n").map((line) => `  ! ${line}`));
  await readByOthers(emulator);
  await clock.sleep(createRandom(seed + 1).pick(BETWEEN_COMMANDS_MS));
}

/** A preview sends nothing. */
const noWire: Wire = {
  connect: () => () => Promise.reject(new Error("a preview sent a request")),
  close: () => Promise.resolve(),
};

function inBrackets(words: readonly string[]): string {
  return words.length === 0 ? "" : ` (${words.join("; ")})`;
}

/** Other clients read too: a staleness of the first few reads is over by the next command. */
export async function readByOthers(emulator: Emulator): Promise<void> {
  const { baseUrl, apiKey, projectId, settings } = emulator;
  const { stale, notFoundAfterCreate, rateLimit } = settings;
  if (stale.reads === undefined && stale.comesBack === undefined && notFoundAfterCreate.reads === undefined) return;
  settings.rateLimit = undefined;
  const { services, vpcs, peerings } = emulator.state();
  const project = `${baseUrl}/projects/${projectId}`;
  const at = (...path: string[]): string => [project, ...path.map(encodeURIComponent)].join("/");
  const places = [
    at("services"),
    at("vpcs"),
    ...services.map(({ id }) => at("services", id)),
    ...vpcs.flatMap(({ id }) => [at("vpcs", id), at("vpcs", id, "peerings")]),
    ...peerings.map(({ id, vpcId }) => at("vpcs", vpcId, "peerings", id)),
  ];
  for (let read = 0; read < READS_OF_OTHERS; read += 1) {
    for (const place of places) await fetch(place, { headers: { authorization: `Bearer ${apiKey}` } });
  }
  settings.rateLimit = rateLimit;
}
