// Judges one command of a walk by what the server did and by what the states name: never by what the provider thinks.

import type { LedgerEntry } from "../../../emulator/index";
import { type Declared, needsOf } from "../../invariants/operator/declared";
import type { Op, Ran } from "./cli";
import type { Entry, Look } from "./look";
import type { StackName, Verb } from "./model";

export interface Violation {
  breach: "unasked" | "protected" | "forgotten" | "untrue preview" | "half done" | "two objects" | "leak" | "broke off";
  what: string;
}

/** One command, and what there was around it. */
export interface Command {
  verb: Verb;
  stack: StackName;
  declared: readonly Declared[];
  before: Look;
  after: Look;
  preview: Ran;
  run: Ran;
  /** The ids of what this run is to adopt. */
  wanted: readonly string[];
  /** Whether nothing came between the preview and the run, and the states are what the server has. */
  isSure: boolean;
  /** Whether a process was killed: the outcome of a create may be unknown. */
  isKilled: boolean;
  /** Whether the provider is called for all entries of the stack, or not even for all resources of the program. */
  reach: "program" | "state" | "part";
}

/** What the walk itself has let go of, and what it may have lost in a kill: ids, and names. */
export interface Known {
  released: Set<string>;
  lost: Set<string>;
  secrets: Set<string>;
}

const GOING = new Set(["delete", "delete-replaced", "replace"]);

/** Only the server knows these, or only the delete gets the stored state: a preview cannot say them. */
const UNFORESEEN = [
  /there (is|are) already/, // a name that is taken
  /adoptId: there is no|cannot be adopted, because it differs/, // what is to be adopted was deleted or changed before
  /a change of providers mixed with --target/, // Pulumi: in the run only
  // Pulumi: no handler is called for a delete in a preview.
  /protected against deletion|has the environment tag PROD, (which|so)/,
  /was adopted after the answer to its create was lost/,
  /is claimed by .* and that adoption has not succeeded|would be stopped and left/,
  /service is paused; start it first/,
  /hook "walk" was not registered|snapshot integrity error/, // Pulumi: in the run only
  /the VPC is in use/, // by what is retained, or is in no state
];

export function judge(command: Command, known: Known): Violation[] {
  return [
    ...vanished(command),
    ...forgotten(command, known),
    ...taken(command),
    ...unadopted(command),
    ...(command.isSure ? [...otherThanPreviewed(command), ...halfDone(command)] : []),
    ...unnamed(command, known),
    ...leaks(command, known),
  ];
}

/** What vanished was previewed and unprotected, and its protected owner was not meant to go with it. */
function vanished(command: Command): Violation[] {
  const { before, after, preview, run, verb, declared } = command;
  const done = news(before, after);
  const asked = idsOf(preview.ops.filter(({ op }) => GOING.has(op)));
  const made = new Set(done.filter(({ event }) => event === "created").map(({ id }) => id));
  const gone = done.filter(({ event, id }) => event === "deleted" && !made.has(id));
  return gone.flatMap(({ id, operation }): Violation[] => {
    const what = `${describe(before, id)} vanished (${operation} in ${verb})`;
    const { serviceId, vpcId } = before.objects.get(id)?.values ?? {};
    const owner = `${(serviceId ?? vpcId) as string | undefined}`;
    const isAsked = asked.has(id) || (asked.has(owner) && gone.some((one) => one.id === owner));
    if (!isAsked) return [{ breach: "unasked", what: `${what}, and the preview did not say so` }];
    if (isProtected(command, id)) return [{ breach: "protected", what: `${what}, and was protected` }];
    // Pulumi: under another provider than its owner a part does not learn of its protection.
    const providers = before.entries
      .filter((entry) => entry.id === id || entry.id === owner)
      .map(({ logical }) => declared.find((one) => one.logical === logical)?.options?.provider);
    if (new Set(providers).size > 1) return [];
    const isSpared = asked.has(owner) && isProtected(command, owner) && after.objects.has(owner);
    if (isSpared && run.code !== 0) return [{ breach: "protected", what: `${what}, and its protected owner stays` }];
    return [];
  });
}

/**
 * By what the state stores, or by the live tag if no program has switched that off. Of two entries for one object the run
 * goes by the one that it deletes, unless it has read both.
 */
function isProtected({ before: { entries, objects }, preview, reach }: Command, id: string): boolean {
  const own = entries.filter((entry) => entry.id === id);
  const asked = preview.ops.filter(({ op }) => GOING.has(op)).map(({ urn }) => urn);
  const isFree = reach !== "state" && own.some((entry) => !entry.isProtected && asked.includes(entry.urn));
  const isTagged = objects.get(id)?.values["environment"] === "PROD" && objects.get(id)?.kind === "service";
  return (!isFree && own.some((entry) => entry.isProtected)) || (isTagged && !own.some(({ isOff }) => isOff));
}

/** What a state named and still exists is named, or the run said that it is left; and then its resource is gone too. */
function forgotten({ before, after, run, verb, stack, declared }: Command, { released }: Known): Violation[] {
  const named = idsOf(after.entries);
  const lost = before.entries.filter(({ id }) => after.objects.has(id) && !named.has(id) && !released.has(id));
  return lost.flatMap((entry): Violation[] => {
    const { id, logical } = entry;
    const isStopped = run.text.split("\n").some((line) => line.includes(id) && /was stopped and left/.test(line));
    const isWithOwner =
      entry.deletedWith !== undefined && run.ops.some(({ urn, op }) => urn === entry.urn && GOING.has(op));
    const isLeft = entry.isRetained || isWithOwner || isStopped;
    if (!isLeft) return [{ breach: "forgotten", what: `${describe(before, id)} exists and is in no state` }];
    released.add(id);
    const isDeclared = verb === "up" && entry.stack === stack && declared.some((one) => one.logical === logical);
    // Pulumi: no handler sees that it is retained, as the state says. What holds no data is made anew by the next run; the
    // name of another one is taken, and the error has its id and says how to go on with it.
    const isPart = entry.kind === "peering" || entry.kind === "readReplicaSet";
    const isTold = entry.isRetained && (isPart || (run.code !== 0 && errorsIn(run.text).includes(id)));
    if (!isDeclared || isTold || entry.isPending || live(after, entry) !== undefined) return [];
    return [{ breach: "half done", what: `${describe(before, id)} was left, and its resource has no other object` }];
  });
}

/** An `up` that succeeds has deleted nothing that a resource of the program has. */
function taken({ before, after, run, verb, stack, declared, reach }: Command): Violation[] {
  if (verb !== "up" || run.code !== 0 || reach === "part") return [];
  const gone = idsOf(news(before, after).filter(({ event }) => event === "deleted"));
  const own = after.entries.filter((entry) => entry.stack === stack && !entry.isPending && gone.has(entry.id));
  const still = own.filter((entry) => declared.some(({ logical }) => logical === entry.logical));
  return still.map(({ id }) => ({
    breach: "half done",
    what: `${describe(after, id)} was deleted under its resource`,
  }));
}

/** What a run is to adopt, it does not delete, whatever else goes wrong. */
function unadopted({ before, after, wanted }: Command): Violation[] {
  const gone = news(before, after).filter(({ event, id }) => event === "deleted" && wanted.includes(id));
  return gone.map(({ id }) => ({
    breach: "half done",
    what: `${describe(before, id)} was to be adopted, and was deleted`,
  }));
}

/** A preview without errors is followed by a run that does exactly that. */
function otherThanPreviewed({ preview, run, verb, declared }: Command): Violation[] {
  if (preview.code !== 0) return [];
  if (run.code !== 0 && !UNFORESEEN.some((pattern) => pattern.test(run.text)))
    return [{ breach: "untrue preview", what: `the preview has no error, and ${verb} fails: ${errorsIn(run.text)}` }];
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
  if (extra.length === 0 && missing.length === 0) return [];
  return [{ breach: "untrue preview", what: `not previewed: ${extra.join(", ")}; not done: ${missing.join(", ")}` }];
}

/** A run that fails leaves each resource of the program with the object that it had, or with another one. */
function halfDone({ verb, stack, declared, before, after, preview, run }: Command): Violation[] {
  if (verb !== "up" || run.code === 0) return [];
  const asked = idsOf(preview.ops.filter(({ op }) => GOING.has(op)));
  // What holds no data goes before its owner, whose own refusal only the delete can know.
  const isPart = ({ kind, id }: Entry): boolean => (kind === "readReplicaSet" || kind === "peering") && asked.has(id);
  const had = before.entries.filter(
    (entry) => entry.stack === stack && !entry.isPending && before.objects.has(entry.id) && !isPart(entry),
  );
  return had.flatMap((entry) => {
    if (!declared.some(({ logical }) => logical === entry.logical) || live(after, entry) !== undefined) return [];
    const error = errorsIn(run.text);
    return {
      breach: "half done",
      what: `${describe(before, entry.id)} has no object after a run that failed: ${error}`,
    };
  });
}

function live({ entries, objects }: Look, { stack, logical, kind }: Entry): Entry | undefined {
  return entries.find(
    (one) =>
      one.stack === stack && one.logical === logical && one.kind === kind && !one.isPending && objects.has(one.id),
  );
}

/** What a run makes is in its state, or an error names it; a kill alone may lose one object, and never two. */
function unnamed({ before, after, run, isKilled, isSure }: Command, { released, lost }: Known): Violation[] {
  const named = idsOf(after.entries);
  const made = news(before, after).filter(
    ({ event, id }) => event === "created" && after.objects.has(id) && !named.has(id),
  );
  return made.flatMap(({ id }): Violation[] => {
    const key = `${after.objects.get(id)?.kind} ${after.objects.get(id)?.identity}`;
    const isTold = run.text.includes(id);
    released.add(id);
    if (lost.has(key)) return [{ breach: "two objects", what: `${describe(after, id)} is the second one of its name` }];
    if (isKilled || (!isSure && !isTold)) lost.add(key);
    return isKilled || isTold || !isSure
      ? []
      : [{ breach: "two objects", what: `${describe(after, id)} is in no state` }];
  });
}

function leaks({ preview, run, after }: Command, { secrets }: Known): Violation[] {
  const texts = { preview: preview.text, output: run.text, state: after.stored };
  return Object.entries(texts).flatMap(([where, text]): Violation[] =>
    [...secrets].some((secret) => text.includes(secret)) ? [{ breach: "leak", what: `a secret in the ${where}` }] : [],
  );
}

/** What this package did meanwhile. */
export function news(before: Look, after: Look): LedgerEntry[] {
  return after.ledger.slice(before.ledger.length).filter(({ by }) => by === "api");
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
