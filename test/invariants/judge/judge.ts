// Checks the invariants while a run or a walk goes on: compares the emulator's ledger and true state with what the engine was
// told and stores. Never asks the provider. The engine model of the runs and the real CLI report to it.

import { isDeepStrictEqual } from "node:util";
import { visible } from "../../../provider/core/state";
import type { Emulator, LedgerEntry, RequestRecord } from "../../../emulator/index";
import { containsUnknown, type Values } from "../../../provider/domain/values/value";
import { markSecrets } from "../../../provider/host/shapes";
import type { Entry, Failure, Named, Operation } from "../engine/state";
import type { Declared } from "../operator/declared";
import { createOverlapWatch, isRepeat, type OverlapWatch } from "./overlaps";
import { differences, type Fact, factsOf, identityOf, isLeaving, isSettled, printed } from "./truth";

/** What a state holds in encrypted form. */
const SECRET_OUTPUTS = ["password", "initialPassword", "connectionUri", "poolerConnectionUri"];

export type Breach =
  | "duplicate"
  | "orphan"
  | "unasked delete"
  | "lost id"
  | "leak"
  | "overlap"
  | "untrue"
  | "held up"
  | "half done"
  | "broke off";

export interface Violation {
  breach: Breach;
  what: string;
}

/** What counts of an entry of a state. */
export type Held = Pick<Entry, "logical" | "kind" | "id" | "inputs" | "outputs" | "isPending">;

/** The result for one resource in one command. */
export interface Result extends Named {
  failure: Failure | undefined;
  elapsedMs: number;
}

export class Judge {
  readonly violations: Violation[] = [];
  readonly secrets = new Set<string>();
  /** Ids of what somebody else made: the program must not change it. */
  readonly foreign = new Set<string>();
  readonly deletedByHand = new Set<string>();
  /** What an outage or a cut list hides in this command, and no state has. */
  readonly hidden = new Set<string>();
  /** When what had failed has recovered, by id. */
  readonly healedMs = new Map<string, number>();
  /** Ids of what stays in the cloud on purpose, outside of every state. */
  readonly left = new Set<string>();
  /** Whether this command reads all objects into the state before it deletes any. */
  refreshes = false;
  /** What a create may have made of which nobody knows → its resource. */
  readonly unknownOutcomes = new Map<string, string>();
  /** How often the engine called each operation. */
  readonly operations: Record<Operation, number> = { create: 0, update: 0, delete: 0, read: 0 };
  /** How many known outputs of previews of updates have been compared. */
  known = 0;
  /** Of the last command. */
  failures: Failure[] = [];
  results: Result[] = [];

  /** A function, because the emulator is made after the judge. */
  readonly #world: () => Emulator;
  readonly #now: () => number;
  readonly #showsMs: number;
  readonly #overlaps: OverlapWatch;
  /** Everything that a user saw or a state stores in plain text, in this command. */
  #lines: string[] = [];
  /** Objects that were created in this command beside others of the same identity. */
  #besides: { what: string; beside: string[] }[] = [];
  /** Ids of the objects whose create was answered in full in this command. */
  #answered: string[] = [];
  /** When the last answer at this path was that hid something. */
  readonly #poorMs = new Map<string, number>();
  /** What was made beside an object that nobody could know, by the id of that. */
  readonly #seconds = new Map<string, string>();
  /** Services whose tag an answer has left out. */
  readonly #untagged = new Set<string>();
  /** Properties that were changed by hand, by id. */
  readonly #touched = new Map<string, Set<string>>();
  /** What the state does not show: a change by hand that a read has left out, as the object was not settled. */
  readonly #unread = new Set<string>();
  readonly #asked = {
    deleted: new Set<string>(),
    /** `logical id` of each entry whose deletion was asked for; another entry with the same id keeps the object. */
    rows: new Set<string>(),
    replaced: new Set<string>(),
    /** Replaced for no other reason than that they have failed. */
    asFailed: new Set<string>(),
  };
  /** Creates in progress: the object that each would make → its resource. */
  readonly #creates = new Map<string, string>();
  /** What no resource of the program has when the command begins. */
  #undeclared: ReadonlySet<string> = new Set();
  /** When the operation on each resource has begun. */
  readonly #begun = new Map<string, number>();
  /** What the provider last saw of the tag of each service. */
  readonly #tags = new Map<string, unknown>();
  /** How many reads of this command have shown the tag, of services whose protection is switched off. */
  readonly #taggedReads = new Map<string, number>();
  /** Services that had the tag when the command began. */
  #tagged = new Set<string>();
  /** What each process has seen in lists, with the time of the first. */
  readonly #listed = new Map<unknown, Map<string, number>>();
  #sender: unknown;
  /** How long the ledger was before the last request of the provider, and before its last list of services. */
  #ledgerSent = 0;
  #ledgerListed = 0;
  /** Whether the live tag decides the delete of a service: no entry that is deleted knows it as PROD. */
  readonly #byTag = new Map<string, boolean>();
  /** What the preview of this command showed of each resource of the state. */
  readonly #shown = new Map<string, { id: string; outputs: Values }>();
  /** The texts of all errors, and those of this command. */
  #told = "";
  #toldNow = "";
  /** What was there when its delete had ended in this command → its resource. Another entry can have it. */
  readonly #dropped = new Map<string, string>();
  /** Ids of strays that an error has named while they were in no state, or that a create with an unknown outcome has made. */
  readonly #known = new Set<string>();
  #ledgerSeen = 0;
  #begunMs = 0;

  /** `timeScale`: that of the longest waits of the provider. */
  constructor(world: () => Emulator, now: () => number, timeScale = 1) {
    this.#world = world;
    this.#now = now;
    this.#showsMs = SHOWS_MS * timeScale;
    this.#overlaps = createOverlapWatch(world);
  }

  blame(breach: Breach, what: string): void {
    this.violations.push({ breach, what });
  }

  /** `undeclared`: the ids that no resource of the program has. Pulumi: no call names them before their delete. */
  begin(undeclared: readonly string[] = []): void {
    this.#undeclared = new Set(undeclared);
    this.#begunMs = this.#now();
    this.#overlaps.begin();
    this.failures = [];
    this.results = [];
    this.#shown.clear();
    this.hidden.clear();
    this.#tags.clear();
    this.#taggedReads.clear();
    const tagged = this.#facts().filter(({ values }) => values["environment"] === "PROD");
    this.#tagged = new Set(tagged.map(({ id }) => id));
    this.#byTag.clear();
    this.#listed.clear();
    this.#poorMs.clear();
    // What an earlier command was asked to delete or replace, and did not, stays.
    for (const { id } of this.#facts().filter((fact) => !this.#isGoing(fact))) {
      this.#asked.deleted.delete(id);
      this.#asked.replaced.delete(id);
      this.#asked.asFailed.delete(id);
      for (const row of this.#asked.rows) if (row.endsWith(` ${id}`)) this.#asked.rows.delete(row);
    }
    this.#toldNow = "";
    this.#dropped.clear();
  }

  /** Must be called for each answered request of the provider. */
  requested(record: RequestRecord): void {
    this.#overlaps.requested(record);
    if (record.committed && /^(deleteService|stop)$/.test(record.operation ?? "")) this.#checkTag(record);
    if (record.committed && record.operation === "deleteVpc") this.#checkVpc(record);
    if (record.method === "GET" && HIDING.test(record.fault ?? "")) this.#poorMs.set(record.path, record.at);
    if (!record.committed || record.method !== "POST") return;
    const made = this.#world()
      .ledger()
      .findLast(({ requestId }) => requestId === record.id);
    if (made?.event !== "created") return;
    const isAnswered = record.fault === undefined && record.status !== undefined && record.status < 300;
    if (isAnswered) this.#answered.push(made.id);
    const all = this.#facts();
    const created = all.find(({ id }) => id === made.id);
    if (created === undefined) return;
    const isLike = ({ kind, identity, id }: Fact): boolean =>
      kind === created.kind && identity === created.identity && id !== created.id;
    // A peering that has failed connects nothing, and its entry, or another run, deletes it.
    const isUseless = ({ kind, status }: Fact): boolean => kind === "peering" && /^failed$/i.test(status);
    const beside = all.filter((fact) => isLike(fact) && !isLeaving(fact) && !isUseless(fact)).map(({ id }) => id);
    const listed = this.#listed.get(this.#sender);
    // A fork is posted to its source, and stands in the list beside it.
    const path = record.path.replace(/\/[^/]+\/forkService$/, "");
    // A list of the same moment may have been answered after this was sent.
    const isListed = (id: string): boolean => (listed?.get(`${path} ${id}`) ?? Infinity) < record.at - 1;
    // A list lacked it, and no call has named it.
    const isUnnamed = (id: string): boolean => this.#undeclared.has(id) && listed?.has(path) === true;
    // What others make, what was hidden from its last look, and an entry that no call names, it cannot know otherwise.
    // It knows what it has sent itself, until a state had it and left it.
    const isSent = (id: string): boolean => this.#isNew(id) && !this.left.has(id);
    const isHidden = (id: string): boolean => isUnnamed(id) || (this.#isHidden(id, path) && !isSent(id));
    const isKnown = (id: string): boolean => isListed(id) || (!this.foreign.has(id) && !isHidden(id));
    // No later run can name it while its resource has the new one.
    const isLeft = (id: string): boolean => !isKnown(id) && !this.foreign.has(id) && !this.#undeclared.has(id);
    for (const id of beside.filter(isLeft)) {
      this.left.add(id);
      this.#seconds.set(id, made.id);
    }
    this.#besides.push({ what: `${made.kind} ${created.identity}: ${made.id}`, beside: beside.filter(isKnown) });
  }

  /** A process is about to send a request. */
  sending(by: unknown): void {
    this.#sender = by;
    this.#overlaps.sending(by);
    this.#ledgerSent = this.#world().ledger().length;
  }

  /** The provider has read this. */
  shown(path: string, text: string): void {
    const answer = parsed(text) as Values | Values[] | undefined;
    for (const { service_id: id, metadata, status } of [answer ?? {}].flat()) {
      // An empty tag is none, as one that is left out.
      const tag = (metadata as Values | null | undefined)?.["environment"] || undefined;
      if (typeof id !== "string") continue;
      this.#overlaps.shown(id, status);
      if (tag === undefined) this.#untagged.add(id);
      // A list that another handler reads is no look of the delete.
      if (Array.isArray(answer)) continue;
      this.#tags.set(id, tag);
      const reads = this.#taggedReads.get(id);
      if (reads !== undefined && tag === "PROD") this.#taggedReads.set(id, reads + 1);
    }
    if (!Array.isArray(answer)) return;
    // Without the base path, as the requests of the server are recorded.
    const place = path.slice(path.indexOf("/projects/"));
    const listed = this.#listed.get(this.#sender) ?? new Map<string, number>();
    for (const one of [place, ...answer.map(({ service_id: serviceId, id }) => `${place} ${String(serviceId ?? id)}`)])
      listed.set(one, listed.get(one) ?? this.#now());
    this.#listed.set(this.#sender, listed);
    if (path.endsWith("/services")) this.#ledgerListed = this.#ledgerSent;
  }

  /** A line that a user sees. */
  said(line: string): void {
    this.#lines.push(line);
  }

  /** A text in which a user finds what is to be done. */
  told(text: string): void {
    this.said(text);
    this.#told += `${text}\n`;
    this.#toldNow += `${text}\n`;
  }

  /** These properties were changed by hand: until the next read, the provider cannot know it. */
  noteTouched(id: string, keys: readonly string[]): void {
    this.#touched.set(id, new Set([...(this.#touched.get(id) ?? []), ...keys]));
  }

  /** Whether an error has named this id. */
  wasTold(id: string): boolean {
    return this.#told.includes(id);
  }

  /** Whether somebody else has a service of this name. */
  isTaken(name: string): boolean {
    return this.#facts().some(({ kind, identity, id }) => {
      return kind === "service" && identity === name && this.foreign.has(id);
    });
  }

  /** Whether the outcome of this resource's last create is unknown. */
  isOutcomeUnknown(logical: string): boolean {
    return [...this.unknownOutcomes.values()].includes(logical);
  }

  /** The resource whose create, with an unknown outcome, may have made it. */
  makerOf({ kind, identity }: Fact): string | undefined {
    return this.unknownOutcomes.get(`${kind} ${identity}`);
  }

  // What the engine reports; each report is checked against the server at once.

  operating(operation: Operation, { logical }: Named): void {
    this.operations[operation] += 1;
    this.#begun.set(logical, this.#now());
  }

  creating({ kind, logical }: Declared, inputs: Values): void {
    this.#creates.set(`${kind} ${identityOf(kind, inputs)}`, logical);
    if (typeof inputs["password"] === "string") this.secrets.add(inputs["password"]);
  }

  /** The engine has the id. */
  created({ logical, ...entry }: Entry): void {
    const { id } = entry;
    this.left.delete(id);
    // A resource that adopts the first one leaves the second one, which a killed run made while nobody could know the first.
    const second = this.#seconds.get(id);
    if (second !== undefined) this.left.add(second);
    forget(this.#creates, logical);
    // What an earlier create may have made in another parent, which was replaced since, is still unknown.
    this.unknownOutcomes.delete(`${entry.kind} ${identityOf(entry.kind, entry.inputs)}`);
    if (this.foreign.has(id)) this.blame("unasked delete", `${logical} adopted ${id}, which is somebody else's`);
    const isThere = this.#find(entry) !== undefined || this.#isExplained(entry);
    if (!isThere) this.blame("untrue", `${logical} was created as ${id}, which is not there`);
  }

  /** A create or update has succeeded. */
  converged(entry: Entry): void {
    this.#end(entry);
    const fact = this.#find(entry);
    const { logical, id, inputs } = entry;
    if (fact === undefined) {
      if (!this.#isExplained(entry)) this.blame("untrue", `${logical} is done, and ${id} is not there`);
      return;
    }
    const touched = this.#touched.get(id);
    const unmanaged = Object.keys(fact.values).filter((key) => inputs[key] === undefined);
    // What is held in another status does not show whether it is paused.
    const hidden = /^(ready|paused)$/i.test(fact.status) ? [] : ["paused"];
    const wrong = differences(entry, fact, new Set([...unmanaged, ...(touched ?? []), ...hidden]));
    if (wrong.length > 0) this.blame("untrue", `${logical} (${id}) is done, but ${wrong.join("; ")}`);
    // An update that changes only settings of the provider reads nothing.
    const ledger = this.#world().ledger();
    const last = ledger.findLast((one) => one.id === id && one.by === "api");
    // The same call again after a kill: the effect of the first shows while the second runs.
    const isUnclear =
      last === undefined || last.at < this.#begunMs || isRepeat(this.#world(), last) || touched !== undefined;
    if (!isUnclear && !isSettled(fact)) this.blame("untrue", `${logical} (${id}) is done, and still ${fact.status}`);
  }

  /** The preview showed these outputs of a resource that is updated, or left as it is. */
  previewed({ logical, id }: Pick<Entry, "logical" | "id">, outputs: Values): void {
    this.#shown.set(logical, { id, outputs });
  }

  /** An update has succeeded: what its preview showed as known, or as absent, is so. */
  updated({ logical, id, outputs, needs }: Entry): void {
    const shown = this.#shown.get(logical);
    // Somebody changed it, or what it is in, and no read has seen that yet.
    const around = [id, ...needs.map((need) => this.#shown.get(need)?.id ?? "")];
    if (shown?.id !== id || around.some((one) => this.#touched.has(one) || this.#unread.has(one))) return;
    const keys = new Set([...Object.keys(visible(shown.outputs)), ...Object.keys(visible(outputs))]);
    for (const key of keys) {
      const [before, now] = [shown.outputs[key], outputs[key]];
      // The state has only what an answer has shown.
      const isUnread = key === "environment" && before === undefined && this.#untagged.has(id);
      if (containsUnknown(before) || isUnread) continue;
      this.known += 1;
      if (isDeepStrictEqual(before, now) || isByItself(key, now)) continue;
      const words = `the preview showed ${key} as ${printed(before)}, and it is ${printed(now)}`;
      this.blame("untrue", `${logical} (${id}): ${words}`);
    }
  }

  /** A read has succeeded. */
  seen(entry: Entry): void {
    this.#end(entry);
    const { id, outputs } = entry;
    const real = this.#find(entry)?.values ?? {};
    const isRead = [...(this.#touched.get(id) ?? [])].every((key) => isDeepStrictEqual(outputs[key], real[key]));
    if (isRead) this.#unread.delete(id);
    else this.#unread.add(id);
    const left = this.#leftOut(entry);
    if (left.length === 0) this.#touched.delete(id);
    else this.#touched.set(id, new Set(left));
  }

  /** What the program gives, was changed by hand, and is not in the state after a read. No read shows a password. */
  #leftOut(entry: Entry): string[] {
    const fact = this.#find(entry);
    if (fact === undefined) return [];
    const keys = Object.keys(fact.values);
    return [...(this.#touched.get(entry.id) ?? [])].filter((key) => {
      if (key === "password" || entry.inputs[key] === undefined) return false;
      return differences(entry, fact, new Set(keys.filter((other) => other !== key))).length > 0;
    });
  }

  /**
   * A kill interrupted an update or a delete: its effect is unknown. Pulumi: the state still has the old values, and an
   * update back to them sends nothing.
   */
  cutOff(entry: Entry): void {
    this.#touched.set(entry.id, new Set(Object.keys(this.#find(entry)?.values ?? {})));
  }

  replacing({ logical, kind, args }: Declared, { id, inputs, outputs }: Entry, news: Values): void {
    const isAllowed = kind !== "service" || args["allowReplace"] === true;
    const isProtected = outputs["deletionProtection"] === true;
    if (!isAllowed || isProtected)
      this.blame("unasked delete", `${logical} is to be replaced, which it does not allow`);
    this.#asked.replaced.add(id);
    const isFailed = /^(error|failed)$/i.test(String(outputs["status"]));
    if (isFailed && isDeepStrictEqual(visible(news), visible(inputs))) this.#asked.asFailed.add(id);
  }

  /** A user forces its replacement, so a second object beside it is wanted. */
  forcing({ id }: Held): void {
    this.#asked.replaced.add(id);
  }

  deleting({ logical, id, inputs, outputs, isPending }: Held): void {
    if (outputs["deletionProtection"] === true) return;
    // With its protection switched off, it goes although nobody can read it.
    const isOff = inputs["deletionProtection"] === false;
    if (isOff) this.#tagged.delete(id);
    if (isOff) this.#taggedReads.set(id, 0);
    // A state without a read has no tag. With the protection switched off, that of the program is no reason to refuse.
    const isTagKnown = outputs["environment"] === "PROD" || (isOff && inputs["environment"] === "PROD");
    this.#byTag.set(id, this.#byTag.get(id) !== false && !isTagKnown);
    this.#asked.deleted.add(id);
    // If a live and a pending entry have the same id, the live one keeps the object.
    if (!isPending) this.#asked.rows.add(`${logical} ${id}`);
  }

  /**
   * The program has it no more. Pulumi: its own delete comes last, and not at all in a run that fails. Where the program has the
   * object by another entry too, after an adoption, the replacement of that one deletes it sooner. Only the entry is excused:
   * each delete of an object must still have been asked for.
   */
  dropping({ outputs, ...held }: Held): void {
    if (outputs["deletionProtection"] !== true) this.noteGone({ outputs, ...held });
  }

  /** Another entry for the object may go by the same delete. */
  noteGone({ logical, id }: Held): void {
    this.#asked.rows.add(`${logical} ${id}`);
  }

  /** It left the state, because a delete succeeded or a read found nothing. */
  forgotten(entry: Held, why: "delete" | "read"): void {
    this.#end(entry);
    const fact = this.#find(entry);
    if (fact === undefined || this.#isGoing(fact)) return;
    if (why === "read") this.blame("lost id", `${entry.logical}: a read forgot ${entry.id}, which is there`);
    else this.#dropped.set(entry.id, entry.logical);
  }

  failed(operation: Operation, declared: Named, failure: Failure): void {
    const { logical } = declared;
    this.#end(declared, failure);
    this.failures.push(failure);
    this.told(failure.text);
    if (failure.code === undefined) this.blame("untrue", `${logical}: a defect: ${failure.text}`);
    if (operation !== "create") return;
    for (const [key, whose] of this.#creates) {
      if (whose === logical && failure.code === "OUTCOME_UNKNOWN") this.unknownOutcomes.set(key, logical);
    }
    forget(this.#creates, logical);
  }

  /** The stored entry, in full. */
  kept({ outputs }: Entry): void {
    const plain: Values = { ...markSecrets(outputs) };
    for (const key of SECRET_OUTPUTS) delete plain[key];
    this.said(JSON.stringify(plain));
  }

  /** Checks everything after a command. `wasKilled`: the outcomes of its creates may be unknown. */
  review(entries: readonly Held[], wasKilled: boolean): void {
    for (const line of this.#leaked()) this.blame("leak", `a secret in: ${line.slice(0, LONGEST_LINE)}`);
    for (const { what, beside } of this.#besides.splice(0)) {
      const inTheWay = beside.filter((id) => !this.#asked.replaced.has(id));
      if (inTheWay.length > 0) this.blame("duplicate", `${what} was made beside ${inTheWay.join(", ")}`);
    }
    const ledger = this.#world().ledger();
    const changes = ledger.slice(this.#ledgerSeen);
    for (const entry of changes) this.#checkLedger(entry);
    this.#ledgerSeen = ledger.length;

    if (wasKilled) for (const [key, logical] of this.#creates) this.unknownOutcomes.set(key, logical);
    this.#creates.clear();
    // However a create ends, it keeps the id that it was given. An error that names the id is not enough.
    const answered = new Set(wasKilled ? [] : this.#answered);
    this.#answered = [];
    const strays = this.strays(entries);
    for (const { kind, identity, id } of strays) {
      if (answered.has(id)) this.blame("lost id", `${kind} ${identity} (${id}) was created, and is in no state`);
      const isSecond = strays.some((one) => one.kind === kind && one.identity === identity && one.id < id);
      if (isSecond) this.blame("duplicate", `${kind} ${identity} (${id}) is the second one of its name in no state`);
      const isLost =
        this.unknownOutcomes.has(`${kind} ${identity}`) &&
        changes.some((one) => one.id === id && one.event === "created");
      if (isLost || this.#toldNow.includes(id)) this.#known.add(id);
      const dropped = this.#dropped.get(id);
      if (dropped !== undefined) this.blame("lost id", `${dropped}: the delete of ${id} has ended, and it is there`);
      if (!this.#known.has(id)) this.blame("orphan", `${kind} ${identity} (${id}) is in no state, and nobody was told`);
    }
    const there = new Set(this.#facts().map(({ kind, id }) => `${kind} ${id}`));
    for (const { kind, id, logical, outputs, isPending } of entries) {
      const isAsked =
        isPending ||
        this.deletedByHand.has(id) ||
        this.#asked.rows.has(`${logical} ${id}`) ||
        this.#isExplained({ kind, outputs, id: "" });
      if (!there.has(`${kind} ${id}`) && !isAsked)
        this.blame("lost id", `${logical}: ${id} is in the state and not on the server`);
    }
  }

  /** Reports every difference between server and state. */
  compare(entries: readonly Held[]): void {
    for (const entry of entries.filter(({ isPending }) => !isPending)) {
      const fact = this.#find(entry);
      const lines = fact === undefined ? ["it is not on the server"] : differences(entry, fact);
      for (const line of lines) this.blame("untrue", `${entry.logical} (${entry.id}): ${line}`);
    }
    for (const { kind, identity, id } of this.strays(entries))
      this.blame("orphan", `${kind} ${identity} (${id}) is still in no state`);
  }

  /** The objects of the program that are on the server and in no state. */
  strays(entries: readonly Pick<Held, "id">[]): Fact[] {
    const { left } = this;
    const known = new Set(entries.map(({ id }) => id));
    const isOurs = ({ id }: Fact): boolean => !known.has(id) && !this.foreign.has(id) && !left.has(id);
    // What belongs to a service that was left stays with it, unless another entry has the service.
    const isInside = ({ values: { serviceId } }: Fact): boolean =>
      typeof serviceId === "string" && left.has(serviceId) && !known.has(serviceId);
    return this.#facts().filter((fact) => isOurs(fact) && !this.#isGoing(fact) && !isInside(fact));
  }

  /** Of what is being deleted, a status that a fault holds does not show it. */
  #isGoing(fact: Fact): boolean {
    const ledger = this.#world().ledger();
    return isLeaving(fact) || ledger.some(({ event, id }) => event === "deleted" && id === fact.id);
  }

  /** The last look before a delete has shown no tag that protects. */
  #checkTag({ operation, params: { service_id: id = "" } }: RequestRecord): void {
    if (this.#byTag.get(id) !== true) return;
    // A read before that of the delete has put it into the state.
    const isRefreshed = this.refreshes && (this.#taggedReads.get(id) ?? 0) > 1;
    if (this.#tags.get(id) === "PROD" && !isRefreshed)
      this.blame("unasked delete", `${operation} of ${id} came after a read that showed it as PROD`);
    if (!this.#tags.has(id) && this.#tagged.has(id))
      this.blame("unasked delete", `${operation} of ${id}, which is PROD, came without a read of it`);
  }

  /** A server may detach what is in a VPC. */
  #checkVpc({ id: requestId, path, params: { vpc_id: vpcId } }: RequestRecord): void {
    const ledger = this.#world().ledger();
    for (const { id, event, operation, requestId: by } of ledger) {
      if (by !== requestId || event !== "changed" || operation !== "deleteVpc") continue;
      const attached = ledger.findLastIndex((one) => one.id === id && one.requestId !== requestId);
      const isUnknown = this.foreign.has(id) && attached >= this.#ledgerListed;
      if (!isUnknown && !this.#isHidden(id, path.replace(/vpcs\/.*/, "services")))
        this.blame("unasked delete", `deleteVpc of ${vpcId} has detached ${id}`);
    }
  }

  #isHidden(id: string, path: string): boolean {
    return this.hidden.has(id) && this.#now() - (this.#poorMs.get(path) ?? -Infinity) <= OLDEST_LOOK_MS;
  }

  /** Whether it may show as late as this: a run waits for what an earlier one of this user has sent. */
  #isNew(id: string): boolean {
    const ledger = this.#world().ledger();
    return ledger.some(
      (one) => one.id === id && one.event === "created" && one.by === "api" && one.at > this.#now() - this.#showsMs,
    );
  }

  #facts(): Fact[] {
    return factsOf(this.#world().state());
  }

  /** The object on the server, unless it is being deleted. */
  #find({ id, kind }: Pick<Entry, "id" | "kind">): Fact | undefined {
    return this.#facts().find((fact) => fact.id === id && fact.kind === kind && !isLeaving(fact));
  }

  /** Whether a known deletion explains that it is gone: its own, or that of what it is in. */
  #isExplained({ id, ...entry }: Whereabouts): boolean {
    return [id, parentOf(entry)].some((one) => this.deletedByHand.has(one) || this.#asked.deleted.has(one));
  }

  #end({ logical, kind }: Named, failure?: Failure): void {
    const elapsedMs = this.#now() - (this.#begun.get(logical) ?? this.#now());
    this.results.push({ logical, kind, failure, elapsedMs });
  }

  /** The lines of this command that contain a secret, also one that became known after them. */
  #leaked(): string[] {
    for (const { password, initialPassword } of this.#world().state().services) {
      if (!password.startsWith(PASSWORD_OF_KEY)) this.secrets.add(password);
      this.secrets.add(initialPassword);
    }
    const lines = this.#lines.splice(0);
    const text = lines.join("\n");
    const leaked = [...this.secrets].filter((secret) => text.includes(secret));
    return lines.filter((line) => leaked.some((secret) => line.includes(secret)));
  }

  #checkLedger(entry: LedgerEntry): void {
    if (entry.by !== "api") return;
    const { id, kind, operation, event } = entry;
    const object = `${kind} ${entry.name} (${id})`;
    if (event === "deleted" && !this.#asked.deleted.has(id) && !isPart(entry))
      this.blame("unasked delete", `${object} by ${operation}`);
    // The clocks of the server and of the run differ by a rounding.
    const isHealedBefore = (this.healedMs.get(id) ?? Infinity) < this.#begunMs - 1;
    if (event === "deleted" && this.#asked.asFailed.has(id) && isHealedBefore)
      this.blame("unasked delete", `${object} by ${operation}, because it had failed, which it has recovered from`);
    // What a deletion of a VPC detaches is judged by the list before it.
    const isDetached = event === "changed" && operation === "deleteVpc";
    if (this.foreign.has(id) && !isDetached)
      this.blame("unasked delete", `${object} is somebody else's, and was ${event} by ${operation}`);
    // Few servers show which change of a VPC or a peering runs.
    const isShown = kind === "service" || kind === "replicaSet";
    if (entry.overlapped && isShown && !this.#overlaps.isUnseen(entry))
      this.blame("overlap", `${operation} of ${object} while another change was running`);
  }
}

/** The faults that hide objects. */
const HIDING = /brownout|cut/;

/** So long, and a few seconds more, an object that was made need not show. */
const SHOWS_MS = 110_000;

/** So old may be what a create or a delete rests on. The clocks of the server and of the run differ by a rounding. */
const OLDEST_LOOK_MS = 2_001;

/** A state may be one line. */
const LONGEST_LINE = 1_000;

/** A password that comes from the other provider of a walk is the id of its resource, which is no secret. */
export const PASSWORD_OF_KEY = "a-password-";

type Whereabouts = Pick<Entry, "kind" | "id" | "outputs">;

/** The id of what it is in. */
function parentOf({ kind, outputs }: Omit<Whereabouts, "id">): string {
  return String({ readReplicaSet: outputs["serviceId"], peering: outputs["vpcId"], service: "", vpc: "" }[kind]);
}

/** The parts of a service or a VPC are deleted with it. */
function isPart({ kind, operation }: LedgerEntry): boolean {
  return operation === (kind === "replicaSet" ? "deleteService" : "deleteVpc") && !/^(service|vpc)$/.test(kind);
}

/** Undefined for what a fault has cut. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A status that an object enters and leaves by itself. */
function isByItself(key: string, value: unknown): boolean {
  return key === "status" && /^(unstable|rebalancing)$/i.test(String(value));
}

function forget(creates: Map<string, string>, logical: string): void {
  for (const [key, whose] of creates) if (whose === logical) creates.delete(key);
}

/** The ids of the entries that are dropped, and of no other one. */
export function namedByNone<E extends { readonly id: string }>(
  all: readonly E[],
  isDropped: (one: E) => boolean,
): string[] {
  const named = new Set(all.filter((one) => !isDropped(one)).map(({ id }) => id));
  return all.map(({ id }) => id).filter((id) => !named.has(id));
}
