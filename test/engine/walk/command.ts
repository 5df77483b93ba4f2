// One `up`, `destroy` or `refresh` of a walk: its preview, the run with its faults or its kill, and what is judged.

import { rmSync } from "node:fs";
import path from "node:path";
import type { Emulator } from "../../../emulator/index";
import type { CliRun } from "../../support/cliProcess";
import { countDrawn } from "../../invariants/operator/acts";
import { namedByNone } from "../../invariants/judge/judge";
import { callCli, type Ran } from "./cli";
import { declare } from "./declare";
import { beginFaults } from "./faults";
import { ask, judgeRun, news, type Previewed, watch } from "./report";
import type { Entry, Look } from "./look";
import { count, lookAt, type Machine, resolved, resourceOf } from "./machine";
import type { Command, Kill } from "./model";

export async function command(machine: Machine, step: Command): Promise<void> {
  const { judge, ids, lines, programs, world } = machine;
  const before = lookAt(machine);
  const words = wordsOf(machine, step);
  // A refresh deletes nothing: it has no preview.
  const preview =
    step.do === "refresh" ? { code: 0, text: "", ops: [] } : await call(machine, step, previewOf(step, words));
  for (const { operation, id } of news(before, lookAt(machine)))
    judge.blame("unasked delete", `a preview called ${operation} of ${id}`);
  const { do: verb, stack } = step;
  const isWhole = !step.flags.some((flag) => /^--(target|exclude)/.test(flag));
  const reach = !isWhole ? "part" : step.flags.includes("--refresh") ? "state" : "program";
  const wanted = wantedBy(machine, step, before);
  const isRun = verb === "up" || step.flags.includes("--run-program");
  const previewed: Previewed = { verb, stack, declared: programs[stack], isRun, before, preview, wanted, reach };
  // A resource under another URN is new, whatever its name.
  const going = new Set(preview.ops.filter(({ op }) => op === "delete").map(({ urn }) => urn));
  // What the program has no more, a run that excludes it does not name either.
  const isOld = (entry: Entry): boolean =>
    entry.stack === stack &&
    programs[stack].every(
      ({ logical, options }) => ![logical, ...(options?.aliases ?? []).map(({ name }) => name)].includes(entry.logical),
    );
  const isDropped = (entry: Entry): boolean => entry.isPending || going.has(entry.urn) || isOld(entry);
  judge.begin(verb === "up" ? namedByNone(before.entries, isDropped) : []);
  judge.refreshes = step.flags.includes("--refresh");
  ask(judge, previewed);
  // What calls nothing meets no fault.
  const isIdle = step.do !== "refresh" && !step.flags.includes("--refresh") && preview.ops.length === 0;
  const fate = { kill: step.kill, faults: isIdle ? undefined : step.faults };
  // A user who sees an error there stops, as the CLI does by itself.
  const run = preview.code === 0 ? await call(machine, step, runOf(step, words), fate) : preview;
  const isHung = run.isHung === true;
  const isKilled = step.kill !== undefined || isHung;
  if (isKilled) await unlock(world.folder, world.emulator);
  const after = lookAt(machine);
  const isSure = !isKilled && fate.faults === undefined && !machine.isStale && step.do !== "refresh";
  judgeRun(judge, { ...previewed, after, run, isSure, isKilled });
  // Pulumi: after an error it may wait for ever for a step that is never sent (pulumi/pulumi#16373).
  if (isHung && !(words.includes("--continue-on-error") && /error: /.test(run.text)))
    judge.blame("broke off", "the command did not end");
  for (const { stack: its, logical, id, isPending } of after.entries) {
    lines.push(`    ${its}/${logical} ${id}${isPending ? " to be deleted" : ""}`);
    if (!isPending) ids.set(`@${its}/${logical}`, id);
  }
  const changes = news(before, after).map(({ operation }) => operation ?? "");
  machine.ends =
    changes.length === 0 && run.code !== 0 ? "it fails" : changes.toSorted((a, b) => a.localeCompare(b)).join(", ");
  const isRefreshed = step.do === "refresh" ? isWhole : reach === "state";
  machine.isBroken = run.text.includes("snapshot integrity error");
  if (isKilled || fate.faults !== undefined) machine.isStale = true;
  else if (run.code === 0 && isRefreshed) machine.isStale = false;
}

/** `adoptId` counts where its resource has no entry yet, and DBCLOUD_ADOPT where the program has the resource. */
function wantedBy(machine: Machine, { do: verb, stack, flags, adopt }: Command, { entries }: Look): string[] {
  if (verb !== "up") return [];
  // A run of a part of the program may leave out what adopts.
  const isPart = flags.some((flag) => /^--(target|exclude)/.test(flag));
  const has = (logical: string): boolean =>
    isPart || entries.some((entry) => entry.stack === stack && entry.logical === logical);
  const given = machine.programs[stack].flatMap(({ logical, args }) => (has(logical) ? [] : (args["adoptId"] ?? [])));
  const isDeclared = machine.programs[stack].some(({ logical }) => adopt === `@${stack}/${logical}`);
  return [...given, ...(isDeclared ? [adopt] : [])].map((one) => resolved(machine, one));
}

/** The flags with URNs. One whose resource is not in the state is left out. */
function wordsOf(machine: Machine, { stack, flags }: Command): string[] {
  return flags.flatMap((flag) => {
    const [name = "", value] = flag.split(" ");
    if (name === "--plan") return [];
    if (value?.startsWith("@") !== true) return flag.split(" ");
    const urn = resourceOf(machine, stack, value.slice(1))?.urn;
    return urn === undefined ? [] : [name, urn];
  });
}

function previewOf({ do: verb, stack, flags }: Command, words: readonly string[]): string[] {
  if (verb === "destroy") return ["destroy", "--preview-only", "--stack", stack, ...words];
  const plan = flags.includes("--plan") ? ["--save-plan", "plan.json"] : [];
  return ["preview", "--stack", stack, ...words.filter((word) => word !== "--continue-on-error"), ...plan];
}

function runOf({ do: verb, stack, flags }: Command, words: readonly string[]): string[] {
  const plan = flags.includes("--plan") ? ["--plan", "plan.json"] : [];
  return [verb, "--stack", stack, "--yes", "--skip-preview", ...words, ...plan];
}

type Fate = { [K in "kill" | "faults"]?: Command[K] | undefined };

async function call(machine: Machine, step: Command, args: string[], fate: Fate = {}): Promise<Ran> {
  const { world, programs, stacks, lines } = machine;
  const { emulator } = world;
  count(machine, "commands");
  const [, logical] = step.adopt?.split("/") ?? [];
  const adopt = logical === undefined ? {} : { DBCLOUD_ADOPT: `${logical}=${resolved(machine, step.adopt)}` };
  const declared = programs[step.stack].map((one) => {
    const { adoptId } = one.args;
    return adoptId === undefined ? one : { ...one, args: { ...one.args, adoptId: resolved(machine, adoptId) } };
  });
  const { kill, faults } = fate;
  watch(machine.judge, emulator);
  if (faults !== undefined) {
    count(machine, "faults");
    beginFaults(machine, step.stack, faults);
  }
  const ran = await callCli({
    at: world.at(stacks[step.stack].workDir),
    args,
    program: () => declare(machine.form, declared, emulator.apiKey),
    environment: {
      ...adopt,
      // While nothing hides it, what the walk deletes out of band is gone, also if it is everything.
      ...(faults === undefined ? { DBCLOUD_BELIEVE_GONE: emulator.projectId } : {}),
      ...(step.flags.includes("--plan") ? { PULUMI_EXPERIMENTAL: "true" } : {}),
      // Pulumi: without checkpoints the engine itself would forget what it knew when it is killed.
      ...(kill === undefined ? {} : { PULUMI_SKIP_CHECKPOINTS: undefined }),
    },
    onStart: kill && ((run) => killAt(emulator, run, kill)),
  });
  countDrawn(machine.drawn, (what) => count(machine, what));
  for (const { kind, struck } of emulator.faults.list()) if (struck > 0) count(machine, `fault ${kind}`);
  emulator.faults.clear();
  const ops = ran.ops.map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`).join(", ");
  lines.push(`${Object.entries(adopt).join().replace(",", "=")} pulumi ${args.join(" ")} → ${ran.code}: ${ops}`.trim());
  if (ran.code !== 0) lines.push(ran.text.trimEnd());
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

/** What `pulumi cancel` does, after a kill: a call of the CLI takes far longer. */
async function unlock(folder: string, emulator: Emulator): Promise<void> {
  // What a killed process has sent is in the sockets of the emulator, and is read before what comes after it.
  for (let trips = 0; trips < 2; trips += 1) await fetch(emulator.adminUrl);
  emulator.settle();
  rmSync(path.join(folder, "state/.pulumi/locks"), { recursive: true, force: true });
}
