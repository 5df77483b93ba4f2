// What the judge is told of one command of a walk, and what is judged by the preview and the output of the CLI alone.

import type { Emulator, LedgerEntry, RequestRecord } from "../../../emulator/index";
import type { Held, Judge } from "../../invariants/judge/judge";
import { type Declared, needsOf } from "../../invariants/operator/declared";
import type { Op, Ran } from "./cli";
import type { Entry, Look } from "./look";
import type { StackName, Verb } from "./model";

/** One command, as its preview has shown it. */
export interface Previewed {
  verb: Verb;
  stack: StackName;
  declared: readonly Declared[];
  before: Look;
  preview: Ran;
  /** Whether the program runs, whose options then count. */
  isRun: boolean;
  /** The ids of what this run is to adopt. */
  wanted: readonly string[];
  /** Whether the provider is called for all entries of the stack, or not even for all resources of the program. */
  reach: "program" | "state" | "part";
}

/** The same command after its run. */
export interface Command extends Previewed {
  after: Look;
  run: Ran;
  /** Whether nothing came between the preview and the run, and the states are what the server has. */
  isSure: boolean;
  /** Whether a process was killed: the outcome of a create may be unknown. */
  isKilled: boolean;
}

const GOING = new Set(["delete", "delete-replaced", "replace"]);

/** Only the server knows these, or only the delete gets the stored state: a preview cannot say them. */
const UNFORESEEN = [
  /there (is|are) already/, // a name that is taken
  /adoptId: there is no|cannot be adopted, because it differs/, // what is to be adopted was deleted or changed before
  /a change of providers mixed with --target/, // Pulumi: in the run only
  // Pulumi: no handler is called for a delete in a preview.
  /protected against deletion|has the environment tag PROD(, (which|so)| and is not kept by this run)/,
  /is claimed by .* and that adoption has not succeeded/,
  /service is paused; start it first/,
  /hook "walk" was not registered|snapshot integrity error|Duplicate resource URN/, // Pulumi: in the run only
  /the VPC is in use/, // by what is retained, or is in no state
  /still has parts in the state/, // of what is replaced, where they ignore that
];

/** Faults that keep an answer from being read. */
const UNREAD = /lost|status|html|truncate|garbage|brownout|cut/;

/** The judge sees each request of the provider as it is answered: a moment later a tag may be another one. */
export function watch(judge: Judge, emulator: Emulator): void {
  const act = (request: Readonly<RequestRecord>): void => {
    const { userAgent = "", operation, path, params, fault = "" } = request;
    if (!userAgent.startsWith("pulumi-dbcloud")) return;
    const isRead = !UNREAD.test(fault);
    judge.requested({ ...request, ...(isRead ? { status: 200, fault: undefined } : {}) });
    // Which objects a list has shown, only the answer says.
    if (operation?.startsWith("list") === true) judge.shown(path, "[]");
    const service = emulator.state().services.find(({ id }) => id === params["service_id"]);
    if (operation !== "getService" || service === undefined || !isRead) return;
    const { id, status, environment } = service;
    const metadata = fault.includes("members") ? {} : { environment };
    judge.shown(path, JSON.stringify({ service_id: id, status, metadata }));
  };
  emulator.faults.add({ kind: "meanwhile", when: "after", times: Infinity, act });
}

/** Before the run: what the preview says is deleted or replaced was asked for, unless the run is to adopt it. */
export function ask(judge: Judge, previewed: Previewed): void {
  const { before, preview, wanted, reach } = previewed;
  for (const entry of before.entries) {
    judge.left.delete(entry.id);
    // With an alias, a run of the program shows the entry under its new URN.
    const isEntry = (urn: string): boolean => urn === entry.urn || before.entries.every((one) => one.urn !== urn);
    const ops = goingIn(preview).filter(({ urn, id }) => isEntry(urn) && id === entry.id);
    if (entry.isPending || ops.some(({ op }) => op !== "delete")) judge.forcing(entry);
    // A run that has read all entries knows what another one protects.
    const isKept = reach === "state" && before.entries.some((one) => one.id === entry.id && isProtected(one));
    if (ops.length === 0 || isKept || wanted.includes(entry.id) || isSpared(entry, previewed)) continue;
    // Whether an entry may stay without its object shows only when the run has ended.
    judge.deleting({ ...held(entry), isPending: true });
  }
}

/** What belongs to a protected object is not deleted before it. */
function isSpared(entry: Entry, { declared, before, preview }: Previewed): boolean {
  const { serviceId, vpcId } = before.objects.get(entry.id)?.values ?? {};
  const owner = (serviceId ?? vpcId) as string | undefined;
  const owners = before.entries.filter(({ id }) => id === owner);
  const isTagged = before.objects.get(owner ?? "")?.values["environment"] === "PROD" && !owners.some(isOff);
  // Pulumi: under another provider than its owner a part does not learn of its protection.
  const providers = [entry, ...owners].map(
    ({ logical }) => declared.find((one) => one.logical === logical)?.options?.provider,
  );
  const isLeft = owners.some(({ isRetained, deletedWith }) => isRetained || deletedWith !== undefined);
  const isAsked = idsOf(goingIn(preview)).has(owner) && !isLeft && new Set(providers).size === 1;
  return owners.length > 0 && isAsked && (isTagged || owners.some(isProtected));
}

/** After the run. */
export function judgeRun(judge: Judge, command: Command): void {
  const { before, after, preview, run, stack, verb, reach, isKilled } = command;
  for (const text of [preview.text, after.stored]) for (const line of text.split("\n")) judge.said(line);
  judge.told(run.text);
  // An `up` of everything that succeeds deletes nothing that a resource of the program has.
  const isExact = verb === "up" && run.code === 0 && reach !== "part";
  const asked = idsOf(goingIn(preview));
  const renamed = after.entries.filter(({ urn }) => before.entries.every((one) => one.urn !== urn));
  for (const entry of [...before.entries, ...renamed]) {
    // What was gone before is judged already, also if its entry has moved to another stack since.
    const isOld = !before.objects.has(entry.id);
    if (isOld || (asked.has(entry.id) && !(isExact && entry.stack === stack))) judge.noteGone(held(entry));
    // What fails after the preview is replaced in a run with `--refresh`, which says so.
    const isReplaced = goingIn(run).some(({ op, id }) => op !== "delete" && id === entry.id);
    const isFailed = [`(${entry.id}) has failed`, `peering ${entry.id} has failed`].some((words) =>
      run.text.includes(words),
    );
    if (!isReplaced || !isFailed) continue;
    judge.forcing(entry);
    judge.deleting({ ...held(entry), isPending: true });
  }
  release(judge, command);
  if (isKilled || /explain outcome-unknown/.test(run.text))
    for (const { kind, identity } of judge.strays(after.entries)) judge.unknownOutcomes.set(`${kind} ${identity}`, "");
  judge.review(after.entries.map(held), isKilled);
  if (!command.isSure) return;
  otherThanPreviewed(judge, command);
  halfDone(judge, command);
}

/** What a state named and still exists is named, or it was to be left; and then its resource is gone too. */
function release(judge: Judge, { before, after, run, verb, stack, declared, isRun }: Command): void {
  const named = idsOf(after.entries);
  for (const entry of before.entries) {
    const { id, logical } = entry;
    if (!after.objects.has(id) || named.has(id) || judge.left.has(id)) continue;
    // Pulumi: an owner that has left the state takes the option with it; that of the program counts again.
    const options = isRun ? declared.find((one) => one.logical === logical)?.options : undefined;
    const isOwned = (entry.deletedWith ?? options?.deletedWith) !== undefined;
    // Pulumi: a refresh that runs the program saves its options before anything is deleted.
    const isRetained = entry.isRetained || options?.retainOnDelete === true;
    const isWithOwner = isOwned && goingIn(run).some(({ urn }) => urn === entry.urn);
    if (!isRetained && !isWithOwner) judge.forgotten(held(entry), "read");
    judge.left.add(id);
    const isDeclared = verb === "up" && entry.stack === stack && declared.some((one) => one.logical === logical);
    // Pulumi: no handler sees that it is retained, as the state says. What holds no data is made anew by the next run; the
    // name of another one is taken, and the error has its id and says how to go on with it.
    const isTold = isRetained && (isPart(entry) || (run.code !== 0 && errorsIn(run.text).includes(id)));
    if (isDeclared && !isTold && !entry.isPending && live(after, entry) === undefined)
      judge.blame("half done", `${describe(before, id)} was left, and its resource has no other object`);
  }
}

/** A preview without errors is followed by a run that does exactly that. */
function otherThanPreviewed(judge: Judge, { preview, run, verb, declared }: Command): void {
  if (preview.code !== 0) return;
  if (run.code !== 0 && !UNFORESEEN.some((pattern) => pattern.test(run.text)))
    return judge.blame("untrue", `the preview has no error, and ${verb} fails: ${errorsIn(run.text)}`);
  const [said, done] = [preview.ops.map(textOf), run.ops.map(textOf)];
  // Pulumi: with `--continue-on-error` it begins deletes that no preview shows. The provider refuses them.
  const isRefused = (one: string): boolean =>
    run.text.split("\n").some((line) => {
      return (
        line.includes(`${one.replace(/^delete /, "")} **deleting failed**`) &&
        line.includes("was not declared in this run")
      );
    });
  const extra = done.filter((one) => !said.includes(one) && !isRefused(one));
  // What an unknown value may bring need not come: an update, or what follows the id of an object that is adopted.
  const adopting = new Set(declared.flatMap(({ args, logical }) => (args["adoptId"] === undefined ? [] : [logical])));
  const following = declared.filter(({ args }) => needsOf(args).some((need) => adopting.has(need)));
  const isOpen = (one: string): boolean =>
    one.startsWith("update ") || following.some(({ logical }) => one.endsWith(` ${logical}`));
  const missing = run.code === 0 ? said.filter((one) => !done.includes(one) && !isOpen(one)) : [];
  if (extra.length + missing.length > 0)
    judge.blame("untrue", `not previewed: ${extra.join(", ")}; not done: ${missing.join(", ")}`);
}

/** A run that fails leaves each resource of the program with the object that it had, or with another one. */
function halfDone(judge: Judge, { verb, stack, declared, before, after, preview, run }: Command): void {
  if (verb !== "up" || run.code === 0) return;
  const asked = idsOf(goingIn(preview));
  for (const entry of before.entries) {
    if (entry.stack !== stack || entry.isPending || !before.objects.has(entry.id)) continue;
    // What holds no data goes before its owner, whose own refusal only the delete can know.
    if (isPart(entry) && asked.has(entry.id)) continue;
    if (!declared.some(({ logical }) => logical === entry.logical) || live(after, entry) !== undefined) continue;
    const error = errorsIn(run.text);
    judge.blame("half done", `${describe(before, entry.id)} has no object after a run that failed: ${error}`);
  }
}

/** What this package did meanwhile. */
export function news(before: Look, after: Look): LedgerEntry[] {
  return after.ledger.slice(before.ledger.length).filter(({ by }) => by === "api");
}

/** What the cloud calls a service of this program. */
export function nameOf(stack: StackName, { logical, args }: Declared): string {
  return typeof args["name"] === "string" ? args["name"] : `${logical}-${stack}`;
}

/** Names of both stacks may be equal. */
const held = (entry: Entry): Held => ({ ...entry, logical: `${entry.stack}/${entry.logical}` });

const goingIn = ({ ops }: Ran): Op[] => ops.filter(({ op }) => GOING.has(op));

const isProtected = ({ outputs }: Held): boolean => outputs["deletionProtection"] === true;
const isOff = ({ inputs }: Held): boolean => inputs["deletionProtection"] === false;
const isPart = ({ kind }: Held): boolean => kind === "peering" || kind === "readReplicaSet";

function live({ entries, objects }: Look, { stack, logical, kind }: Entry): Entry | undefined {
  return entries.find(
    (one) =>
      one.stack === stack && one.logical === logical && one.kind === kind && !one.isPending && objects.has(one.id),
  );
}

export function idsOf(all: readonly { id: string | undefined }[]): Set<string | undefined> {
  return new Set(all.map(({ id }) => id));
}

function describe({ entries, objects }: Look, id: string): string {
  const names = entries.filter((entry) => entry.id === id).map(({ stack, logical }) => `${stack}/${logical}`);
  return `${objects.get(id)?.kind ?? "object"} ${id} (${names.join(", ") || "in no state"})`;
}

function textOf({ op, urn }: Op): string {
  return `${op} ${urn.split("::").slice(-1).join()}`;
}

function errorsIn(text: string): string {
  const lines = text
    .split("\n")
    .filter((line) => /error|panic/i.test(line) && !/^error: (update|preview) failed/.test(line));
  return lines
    .slice(0, 4)
    .map((line) => line.trim())
    .join(" | ")
    .slice(0, 900);
}
