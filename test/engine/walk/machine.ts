// Performs the steps of a walk: edits programs, calls the CLI, plays the user's console.

import { rmSync } from "node:fs";
import path from "node:path";
import { readFileSync } from "node:fs";
import type { Emulator } from "../../../emulator/index";
import type { CliRun } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import type { InlineStack } from "../../support/cli/inlineStack";
import type { Values } from "../../../provider/domain/values/value";
import { callCli, type Ran } from "./cli";
import { declare } from "./declare";
import { beginFaults } from "./faults";
import { type Breach, judge, type Known, news } from "./judge";
import { look, type Look } from "./look";
import { type Drawn, type Flag, type Kill, type Reference, type Spec, type StackName, STACKS, type Step, type Verb } from "./model";

export interface Machine {
  readonly world: EngineWorld;
  readonly programs: Record<StackName, Spec[]>;
  readonly known: Known;
  readonly stacks: Record<StackName, InlineStack>;
  /** The last id of each reference. */
  readonly ids: Map<Reference, string>;
  /** Whether the states may not be what the server has. */
  isStale: boolean;
  /** What was called and what was seen, for whoever reads a failure. */
  readonly lines: string[];
  readonly counts: Partial<Record<Drawn | "commands", number>>;
}

/** The server's clock is behind, so that nothing is so young that a refresh would not believe that it is gone. */
const serverNow = (): number => Date.now() - 3 * 60_000;
const QUICK = Object.fromEntries(
  ["queued", "create", "fork", "resize", "ha", "attach", "detach", "pooler", "stop", "start", "delete"].map((name) => [name, 4]),
);

export async function openMachine(seed: number): Promise<Machine> {
  const world = await openEngineWorld({ seed, now: serverNow, timings: QUICK });
  const nothing = (): Promise<void> => Promise.resolve();
  const open = (name: StackName): Promise<InlineStack> => world.open(nothing, { project: "walk", name });
  const known: Known = { released: new Set(), lost: new Set(), secrets: new Set([world.emulator.apiKey]) };
  return {
    world,
    known,
    programs: { dev: [], other: [] },
    stacks: { dev: await open("dev"), other: await open("other") },
    ids: new Map(),
    isStale: false,
    lines: [],
    counts: {},
  };
}

export function lookAt({ world, stacks }: Machine): Look {
  return look(world.emulator, stacks);
}

/** Performs one step; returns what was wrong with it. */
export async function perform(machine: Machine, step: Step): Promise<Breach[]> {
  switch (step.do) {
    case "program":
      edit(machine, step.stack, step.specs);
      return [];
    case "console":
      operate(machine, step);
      return [];
    case "state":
      return stateCommand(machine, step);
    case "move":
      count(machine, "state move");
      return stateEdit(machine, ["move", "--source", step.stack, "--dest", otherThan(step.stack)], step);
    case "import":
      return importObject(machine, step.stack, step.name);
    default:
      return command(machine, step);
  }
}

export function count({ counts }: Machine, what: Drawn | "commands"): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

function edit(machine: Machine, stack: StackName, specs: Spec[]): void {
  const before = new Map(machine.programs[stack].map((spec) => [spec.name, spec]));
  for (const { name, kind, args, opts } of specs) {
    const old = before.get(name);
    for (const option of Object.keys(opts)) if (old?.opts[option as keyof typeof opts] === undefined) count(machine, option as Drawn);
    if (args["adoptId"] !== undefined && old === undefined) count(machine, "adoptId");
    if (kind === "key" && old === undefined) count(machine, "key");
  }
  const isNew = specs.find(({ name }) => !before.has(name));
  const gone = [...before.keys()].filter((name) => !specs.some((spec) => spec.name === name));
  if (isNew !== undefined && gone.length === 1) count(machine, isNew.opts.aliases === undefined ? "rename" : "rename with alias");
  else if (gone.length > 0) count(machine, "remove");
  if (stack === "other") count(machine, "other stack");
  machine.programs[stack] = specs;
}

function resolved({ ids }: Machine, value: unknown): string {
  return ids.get(String(value)) ?? String(value);
}

function operate(machine: Machine, step: Step & { do: "console" }): void {
  const { mutate } = machine.world.emulator;
  if (step.what === "create") {
    const made = mutate.createService({ name: step.name, regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 });
    machine.ids.set(`@console/${step.name}`, made.id);
    return;
  }
  count(machine, step.what === "delete" ? "delete out of band" : step.what);
  const id = resolved(machine, step.object);
  const kind = lookAt(machine).objects.get(id)?.kind;
  machine.isStale = true;
  if (kind === undefined) return;
  if (step.what !== "delete" && kind === "service") mutate.service(id, { environment: step.what === "tag" ? "PROD" : "DEV" });
  const deletes = { service: "deleteService", vpc: "deleteVpc", peering: "deletePeering", readReplicaSet: "deleteReplicaSet" } as const;
  if (step.what === "delete") mutate[deletes[kind]](id);
}

const otherThan = (stack: StackName): StackName => (stack === "dev" ? "other" : "dev");

async function stateCommand(machine: Machine, step: Step & { do: "state" }): Promise<Breach[]> {
  const { what, stack, name } = step;
  count(machine, `state ${what}`);
  const ids = lookAt(machine).entries.filter((entry) => entry.stack === stack && entry.name === name).map(({ id }) => id);
  const breaches = await stateEdit(machine, [what, "--stack", stack], step);
  const left = lookAt(machine).entries.map(({ id }) => id);
  for (const id of ids) if (!left.includes(id)) machine.known.released.add(id);
  return breaches;
}

/** An edit of a state calls nothing, and what it takes out of the state is what the user said. */
async function stateEdit(machine: Machine, args: string[], step: { stack: StackName; name: string }): Promise<Breach[]> {
  const urn = urnOf(machine, step.stack, step.name);
  if (urn === undefined) return [];
  const before = lookAt(machine);
  await pulumi(machine, step.stack, ["state", ...args, "--yes", urn]);
  const done = news(before, lookAt(machine));
  return done.map(({ operation, id }) => ({ rule: "unasked", what: `an edit of the state called ${operation} of ${id}` }));
}

function urnOf(machine: Machine, stack: StackName, name: string): string | undefined {
  const own = machine.stacks[stack].state().deployment.resources ?? [];
  return own.find(({ urn }) => urn.endsWith(`::${name}`))?.urn;
}

async function pulumi(machine: Machine, stack: StackName, args: readonly string[]): Promise<number> {
  const { world, stacks, lines } = machine;
  count(machine, "commands");
  const { code, text } = await world.pulumi([...args, "--non-interactive"], stacks[stack].workDir);
  lines.push(`pulumi ${args.join(" ")} → ${code}${code === 0 ? "" : `\n${text.trimEnd()}`}`);
  return code;
}

/** As the docs say it: the document, the import, the refresh, and the program that declares it. */
async function importObject(machine: Machine, stack: StackName, name: string): Promise<Breach[]> {
  const { world, stacks } = machine;
  const id = machine.ids.get(`@console/${name}`);
  if (id === undefined) return [];
  count(machine, "import");
  const file = path.join(stacks[stack].workDir, `${name}.json`);
  const written = await world.command(["import", `service:${id}`, "--out", file], stacks[stack].workDir);
  if (written.code !== 0) return [{ rule: "untrue preview", what: `the import document cannot be written: ${written.text}` }];
  const document = JSON.parse(readFileSync(file, "utf8")) as { resources: { name: string; inputs: Values }[] };
  const code = await pulumi(machine, stack, ["import", "--stack", stack, "--file", file, "--generate-code=false", "--protect=false", "--yes"]);
  for (const { name: logical, inputs } of document.resources) {
    const { __provider: _, ...args } = inputs;
    machine.programs[stack] = [...machine.programs[stack], { name: logical, kind: "service", args, opts: {} }];
  }
  if (code !== 0) return [{ rule: "untrue preview", what: "the import fails" }];
  return command(machine, { do: "refresh", stack, flags: [] });
}

type Commanded = Step & { do: Verb };

async function command(machine: Machine, step: Commanded): Promise<Breach[]> {
  const { known, ids, lines } = machine;
  const before = lookAt(machine);
  note(machine, before);
  const flags = step.flags.flatMap((flag) => wordsOf(machine, step.stack, flag));
  countAll(machine, step);
  // A refresh has no preview: it deletes nothing.
  const nothing: Ran = { code: 0, text: "", ops: [] };
  const preview = step.do === "refresh" ? nothing : await call(machine, step, previewArgs(step, flags));
  const between = lookAt(machine);
  // A user who sees an error there stops, as the CLI does by itself.
  const run = preview.code === 0 ? await call(machine, step, runArgs(step, flags), step) : preview;
  const after = lookAt(machine);
  note(machine, after);
  if (step.kill !== undefined) await recover(machine, step.stack);
  const isSure = step.kill === undefined && step.faults === undefined && !machine.isStale && step.do !== "refresh";
  const specs = machine.programs[step.stack];
  const { do: verb, stack } = step;
  const isKilled = step.kill !== undefined;
  const breaches = judge({ verb, stack, specs, before, after, preview, run, isSure, isKilled }, known);
  for (const { operation, id } of news(before, between)) breaches.push({ rule: "unasked", what: `a preview called ${operation} of ${id}` });
  lines.push(...after.entries.map(({ stack: its, name, id, isPending }) => `    ${its}/${name} ${id}${isPending ? " to be deleted" : ""}`));
  for (const { stack: its, name, id, isPending } of after.entries) if (!isPending) ids.set(`@${its}/${name}`, id);
  const isWhole = !step.flags.some(({ of }) => of !== undefined);
  const isRefresh = step.do === "refresh" || step.flags.some(({ flag }) => flag === "--refresh");
  if (step.kill !== undefined || step.faults !== undefined) machine.isStale = true;
  else if (run.code === 0 && isRefresh && isWhole) machine.isStale = false;
  return breaches;
}

function countAll(machine: Machine, step: Commanded): void {
  if (step.do !== "up") count(machine, step.do);
  for (const { flag } of step.flags) if (step.do !== "refresh" || flag === "--run-program") count(machine, `${step.do} ${flag}` as Drawn);
  if (step.adopt !== undefined) count(machine, "DBCLOUD_ADOPT");
  if (step.faults !== undefined) count(machine, "faults");
  if (step.kill !== undefined) count(machine, step.kill.victim === "everything" ? "kill everything" : `kill ${step.kill.victim}`);
}

/** A flag whose resource is not in the state is left out. */
function wordsOf(machine: Machine, stack: StackName, { flag, of }: Flag): string[] {
  if (flag === "--plan") return [];
  if (of === undefined) return flag.split(" ");
  const urn = urnOf(machine, stack, of);
  return urn === undefined ? [] : [flag, urn];
}

const planOf = (step: Commanded): boolean => step.flags.some(({ flag }) => flag === "--plan");

function previewArgs(step: Commanded, flags: readonly string[]): string[] {
  const shown = flags.filter((flag) => step.do !== "up" || flag !== "--continue-on-error");
  if (step.do === "destroy") return ["destroy", "--preview-only", "--stack", step.stack, ...shown];
  return ["preview", "--stack", step.stack, ...shown, ...(planOf(step) ? ["--save-plan", "plan.json"] : [])];
}

function runArgs(step: Commanded, flags: readonly string[]): string[] {
  const plan = planOf(step) ? ["--plan", "plan.json"] : [];
  return [step.do, "--stack", step.stack, "--yes", "--skip-preview", ...flags, ...plan];
}

async function call(machine: Machine, step: Commanded, args: string[], fate: Partial<Commanded> = {}): Promise<Ran> {
  const { world, programs, stacks, lines } = machine;
  const { emulator } = world;
  count(machine, "commands");
  const adopt = step.adopt?.map((one) => resolved(machine, one)).join(",");
  const specs = programs[step.stack].map((spec) => {
    const { adoptId } = spec.args;
    return adoptId === undefined ? spec : { ...spec, args: { ...spec.args, adoptId: resolved(machine, adoptId) } };
  });
  if (fate.faults !== undefined) beginFaults(emulator, fate.faults);
  const { kill } = fate;
  const ran = await callCli({
    at: world.at(stacks[step.stack].workDir),
    args,
    program: () => declare(specs, emulator.apiKey),
    environment: {
      ...(adopt === undefined ? {} : { DBCLOUD_ADOPT: adopt }),
      ...(planOf(step) ? { PULUMI_EXPERIMENTAL: "true" } : {}),
      // Pulumi: without checkpoints the engine itself would forget what it knew when it is killed.
      ...(kill === undefined ? {} : { PULUMI_SKIP_CHECKPOINTS: undefined }),
    },
    onStart: kill && ((run) => killAt(emulator, run, kill)),
  });
  emulator.faults.clear();
  const ops = ran.ops.map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`).join(", ");
  const said = ran.code === 0 ? ran.text.split("\n").filter((line) => /warning: |is kept|left/.test(line)).join("\n") : ran.text.trimEnd();
  lines.push(`${adopt === undefined ? "" : `DBCLOUD_ADOPT=${adopt} `}pulumi ${args.join(" ")} → ${ran.code}: ${ops}${said && `\n${said}`}`);
  return ran;
}

function killAt({ faults }: Emulator, run: CliRun, { victim, at, commits }: Kill): void {
  let left = at;
  const isHit = ({ method }: { method: string }): boolean => {
    if (method === "GET") return false;
    left -= 1;
    if (left === 0) run.kill(victim);
    return left === 0;
  };
  faults.add({ kind: commits ? "lostAfter" : "lostBefore", match: isHit, times: Infinity });
}

/** What a user does after a kill. The lock of the CLI stays. */
async function recover(machine: Machine, stack: StackName): Promise<void> {
  machine.world.emulator.settle();
  rmSync(path.join(machine.world.folder, "state/.pulumi/locks"), { recursive: true, force: true });
  await Promise.resolve(stack);
}

/** Secrets of which no text may tell. */
function note({ world, known }: Machine, _at: Look): void {
  for (const { password, initialPassword } of world.emulator.state().services) {
    known.secrets.add(initialPassword);
    if (!password.startsWith("a-password-")) known.secrets.add(password);
  }
}

export { STACKS };
