// The calls of the real engine for each resource option and flag, against what was recorded before. A difference means that
// the engine calls in another way, and that what the provider makes of the calls may be wrong.
//
// `REPEATS=full RECORDINGS=update npm test -- --project engine test/engine/recordings` writes what is seen into the file of the
// CLI's version. `RECORDINGS=shown` prints what the CLI prints.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordedVersions } from "../../../scripts/docs/engineCalls";
import { openEngineWorld } from "../../support/engineWorld";
import { repeats } from "../../support/repeats";
import { cases } from "./cases/index";
import { COMMANDS, EDITS, flagsIn, recordedOptions } from "./choices";
import { endPlay, play, type Recording } from "./play";

/** By the title of the case. */
type Recordings = Record<string, Recording>;

const isUpdate = process.env["RECORDINGS"] === "update";
const isPreviewed = isUpdate || repeats(false, true);
const titles = cases.map(({ title }) => title);
const decisive = cases.filter(({ isDecisive }) => isDecisive);
/** One for each version of the CLI. */
const fileOf = (one: string): string => path.join(__dirname, `${one}.json`);
const seen: Recordings = {};
let version: string;
let recorded: Recordings;

beforeAll(async () => {
  const world = await openEngineWorld();
  const { out } = await world.pulumi(["version"], world.folder);
  await world.close();
  version = /^v(\d+\.\d+)/.exec(out)?.[1] ?? "";
  const [newest = "", ...others] = recordedVersions(__dirname);
  const compared = others.includes(version) ? version : newest;
  recorded = JSON.parse(readFileSync(fileOf(compared), "utf8")) as Recordings;
  if (compared === version) return;
  process.stderr.write(
    `There are no recordings of Pulumi ${version}: its calls are compared with those of ${compared}. Where they differ, read what the engine does now, then run \`REPEATS=full RECORDINGS=update npm test -- --project engine test/engine/recordings\` and \`npm run docs\`.\n`,
  );
});

afterAll(endPlay);

/** After each case, so that a run that is ended early is not lost. */
function keep(): void {
  const all: Recordings = { ...recorded, ...seen };
  const known = Object.fromEntries(titles.flatMap((title) => (all[title] ? [[title, all[title]]] : [])));
  writeFileSync(fileOf(version), `${JSON.stringify(known, null, 2)}\n`);
}

test.for(repeats(decisive, cases).map((one) => [one.title, one] as const))("%s", async ([title, one]) => {
  const played = await play(one, { isPreviewed });
  seen[title] = played;
  if (isUpdate) keep();
  const { preview, ...calls } = isUpdate ? played : (recorded[title] ?? {});
  expect(played).toEqual({ ...calls, preview: isPreviewed ? preview : undefined });
});

test("each case has a title of its own and is recorded, and nothing else is", () => {
  expect(titles).toEqual([...new Set(titles)]);
  expect(isUpdate ? titles : Object.keys(recorded)).toEqual(titles);
});

test("each option of a resource is recorded", () => {
  const found = Object.values({ ...recorded, ...seen }).flatMap(({ options = "" }) => options.split(" "));
  expect(recordedOptions.filter((option) => !found.includes(option))).toEqual([]);
});

test.for(COMMANDS)("each flag of `pulumi %s` is recorded", async (command) => {
  const world = await openEngineWorld();
  const { out } = await world.at(world.folder).pulumi([command, "--help"], { PULUMI_EXPERIMENTAL: "true" });
  await world.close();
  const flags = flagsIn(out);
  expect(flags).toContain("target");
  const played = cases.filter((one) => one.command.split(" ").includes(command)).map((one) => `${one.command} `);
  expect(flags.filter((flag) => !played.some((text) => text.includes(` --${flag} `)))).toEqual([]);
});

test("each edit of the state is recorded", () => {
  const steps = cases.flatMap((one) => one.steps.filter((step) => typeof step === "string"));
  expect(EDITS.filter((edit) => !steps.some((step) => step.startsWith(`state ${edit} `)))).toEqual([]);
});
