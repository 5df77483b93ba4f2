// One command of a person: the engine runs in a process of its own, in whatever weather there is, and is judged.

import type { Emulator } from "../../emulator/index";
import { destroy, refresh, up, type Forcing } from "./engine";
import { startProcess } from "./process";
import { createRandom } from "../support/random";
import { count, type Stage } from "./stage";
import type { Weather } from "./weather";

export interface Order extends Forcing {
  does: "up" | "refresh" | "destroy";
  /** Names and ids to take over (`DBCLOUD_ADOPT`). */
  adopt: readonly string[];
  weather: Weather;
  seed: number;
}

/** Nobody is quicker with the next command: a list that lags for longer than that could not be helped. */
const BETWEEN_COMMANDS_MS = 2 * 60_000;
/** More than any lag that is counted in reads. */
const LOOKS_OF_OTHERS = 5;

export async function command(
  stage: Stage,
  { does, adopt, weather, seed, forced, isBroken = false }: Order,
): Promise<void> {
  const { emulator, clock, wire, judge, state, lines, counts } = stage;
  const told = `${forced === undefined ? "" : ` replacing ${forced} by force`}${isBroken ? ", and the program fails" : ""}`;
  lines.push(`${does}${told}${adopt.length === 0 ? "" : ` adopting ${adopt.join(", ")}`}${inBrackets(weather.words)}`);
  count(counts, "commands");
  weather.begin(emulator, (id) => judge.isForeign(id));
  judge.begin(clock.now());
  const requests = counts["requests"] ?? 0;
  const process = startProcess({
    baseUrl: emulator.baseUrl,
    apiKey: emulator.apiKey,
    projectId: emulator.projectId,
    wire,
    clock,
    random: createRandom(seed),
    adopt,
    death: weather.death,
    refusedShare: weather.refusedShare,
    say: (line) => judge.said(line),
    count: (what) => count(counts, what),
  });
  const run = { process, state, observer: judge };
  if (does === "up") await up(run, stage.program.declared, { forced, isBroken });
  else if (does === "refresh") await refresh(run);
  else await destroy(run);
  if (process.isOver) count(counts, `fault ${weather.death?.whose} killed`);
  await process.idle();
  emulator.faults.clear();
  judge.review(state, process.isOver);
  lines.push(`  ${(counts["requests"] ?? 0) - requests} requests${process.isOver ? ", killed" : ""}`);
  for (const { text } of judge.failures) lines.push(...text.split("\n").map((line) => `  ! ${line}`));
  await lookAround(emulator);
  await clock.sleep(BETWEEN_COMMANDS_MS);
}

function inBrackets(words: readonly string[]): string {
  return words.length === 0 ? "" : ` (${words.join("; ")})`;
}

/** Others look too: whatever shows only to the first few who ask has shown by the next command. */
export async function lookAround(emulator: Emulator): Promise<void> {
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
  for (let look = 0; look < LOOKS_OF_OTHERS; look += 1) {
    for (const place of places) await fetch(place, { headers: { authorization: `Bearer ${apiKey}` } });
  }
  settings.rateLimit = rateLimit;
}
