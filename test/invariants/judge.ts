// What must hold whatever happens, checked while a run goes on: by the emulator's ledger and truth on the one side, and
// by what the engine was told and keeps on the other. The provider itself is asked nothing.

import type { Emulator, LedgerEntry, RequestRecord } from "../../emulator/index";
import { markSecrets } from "../../provider/host/shapes";
import type { Values } from "../../provider/lifecycle/resources/resource";
import { createLeakSearch } from "./leaks";
import type { Entry, Failure, Observer, Operation, State } from "./observer";
import { createDuplicateWatch } from "./duplicates";
import { differences, factsOf, isLeaving, isSettled, identityOf, type Fact } from "./truth";

export const BREACHES = [
  "duplicate",
  "orphan",
  "unasked delete",
  "lost id",
  "leak",
  "overlap",
  "untrue",
  "held up",
] as const;

export type Breach = (typeof BREACHES)[number];

export interface Violation {
  breach: Breach;
  what: string;
}

export interface Judge extends Observer {
  readonly violations: Violation[];
  /** How often the engine did what. */
  readonly operations: Record<Operation, number>;
  /** Failures since the last command began. */
  readonly failures: Failure[];
  blame(breach: Breach, what: string): void;
  /** Must be called for each answered request of the provider. */
  requested(record: RequestRecord): void;
  /** A line that a user sees. */
  said(line: string): void;
  isSecret(value: string): void;
  /** Made by somebody else: none of our business. */
  isForeign(id: string): void;
  /** Somebody changed this of it by hand: until it is read again, nobody can know. */
  isTouched(id: string, keys: readonly string[]): void;
  /** Somebody took it away by hand. */
  isTakenAway(id: string): void;
  begin(nowMs: number): void;
  /** Checks everything after a command. `wasKilled`: its creates may have ended unseen. */
  review(state: State, wasKilled: boolean): void;
  /** Server and state must be the same now. */
  compare(state: State): void;
  /** The objects of the program that are on the server and in no state. */
  strays(state: State): Fact[];
  /** Ids of what was left in the cloud, as the program wished. */
  left(): string[];
  /** An error has named this id. */
  wasTold(id: string): boolean;
  /** Somebody else has a service of this name. */
  isTaken(name: string): boolean;
  /** Nobody knows what became of the last create of this resource. */
  isOutcomeUnknown(logical: string): boolean;
}

export function createJudge(world: () => Emulator): Judge {
  const violations: Violation[] = [];
  const operations: Record<Operation, number> = { create: 0, update: 0, delete: 0, read: 0 };
  const leaks = createLeakSearch();
  const foreign = new Set<string>();
  const takenAway = new Set<string>();
  const touched = new Map<string, Set<string>>();
  /** `rows`: which resource was to go with which id; of two that have the same, the other one stays. */
  const asked = {
    deleted: new Set<string>(),
    rows: new Set<string>(),
    replaced: new Set<string>(),
    left: new Set<string>(),
  };
  /** Creates under way, and creates that nobody knows the end of: what they would make → for which resource. */
  const creates = new Map<string, string>();
  const unknownOutcomes = new Map<string, string>();
  let failures: Failure[] = [];
  let told = "";
  let ledgerSeen = 0;
  let begunMs = 0;

  const blame = (breach: Breach, what: string): void => void violations.push({ breach, what });
  const facts = (): Fact[] => factsOf(world().state());
  const duplicates = createDuplicateWatch(facts);
  const find = ({ id, kind }: Pick<Entry, "id" | "kind">): Fact | undefined =>
    facts().find((fact) => fact.id === id && fact.kind === kind && !isLeaving(fact));
  const isExplained = (id: string): boolean => takenAway.has(id) || asked.deleted.has(id);

  function checkLedger(entry: LedgerEntry): void {
    if (entry.by !== "api") return;
    const { id, kind, operation, event } = entry;
    const object = `${kind} ${entry.name} (${id})`;
    // What belongs to a service or a VPC goes with it.
    const isPart =
      operation === (kind === "replicaSet" ? "deleteService" : "deleteVpc") && !/^(service|vpc)$/.test(kind);
    if (event === "deleted" && !asked.deleted.has(id) && !isPart) blame("unasked delete", `${object} by ${operation}`);
    if (foreign.has(id)) blame("unasked delete", `${object} is somebody else's, and was ${event} by ${operation}`);
    // Few servers show what a VPC or a peering is busy with.
    const isShown = kind === "service" || kind === "replicaSet";
    if (entry.overlapped && isShown && !isRepeat(entry))
      blame("overlap", `${operation} of ${object} while another change was running`);
  }

  /** API: some work shows in no status; a change that is repeated after a lost answer may meet itself. */
  function isRepeat({ id, operation, requestId }: LedgerEntry): boolean {
    const ledger = world().ledger();
    const at = ledger.findIndex((one) => one.requestId === requestId);
    return ledger.slice(0, at).findLast((one) => one.id === id)?.operation === operation;
  }

  function strays(state: State): Fact[] {
    const known = new Set([...state.entries.values(), ...state.replaced].map(({ id }) => id));
    const isOurs = ({ id }: Fact): boolean => !known.has(id) && !foreign.has(id) && !asked.left.has(id);
    // What belongs to a service that was left stays with it.
    const isInside = ({ values }: Fact): boolean =>
      typeof values["serviceId"] === "string" && asked.left.has(values["serviceId"]);
    return facts().filter((fact) => isOurs(fact) && !isLeaving(fact) && !isInside(fact));
  }

  function forget(from: Map<string, string>, logical: string): void {
    for (const [key, whose] of from) if (whose === logical) from.delete(key);
  }

  return {
    violations,
    operations,
    get failures() {
      return failures;
    },
    blame,
    strays,
    left: () => [...asked.left],
    wasTold: (id) => told.includes(id),
    isTaken: (name) =>
      facts().some((fact) => fact.kind === "service" && fact.identity === name && foreign.has(fact.id)),
    isOutcomeUnknown: (logical) => [...unknownOutcomes.values()].includes(logical),
    said: (line) => leaks.said(line),
    isSecret: (value) => leaks.isSecret(value),
    isForeign: (id) => void foreign.add(id),
    isTouched: (id, keys) => void touched.set(id, new Set([...(touched.get(id) ?? []), ...keys])),
    isTakenAway: (id) => void takenAway.add(id),

    operating: (operation) => {
      operations[operation] += 1;
    },
    creating({ kind, logical }, inputs) {
      creates.set(`${kind} ${identityOf(kind, inputs)}`, logical);
      if (typeof inputs["password"] === "string") leaks.isSecret(inputs["password"]);
    },
    created({ logical, kind }, id) {
      asked.left.delete(id);
      forget(creates, logical);
      forget(unknownOutcomes, logical);
      if (foreign.has(id)) blame("unasked delete", `${logical} took over ${id}, which is somebody else's`);
      const isThere = find({ id, kind }) !== undefined || isExplained(id);
      if (!isThere) blame("untrue", `${logical} was created as ${id}, which is not there`);
    },
    converged(entry) {
      const fact = find(entry);
      const { logical, id, inputs } = entry;
      if (fact === undefined) {
        if (!isExplained(id)) blame("untrue", `${logical} is done, and ${id} is not there`);
        return;
      }
      const unmanaged = Object.keys(fact.values).filter((key) => inputs[key] === undefined);
      const wrong = differences(entry, fact, new Set([...unmanaged, ...(touched.get(id) ?? [])]));
      if (wrong.length > 0) blame("untrue", `${logical} (${id}) is done, but ${wrong.join("; ")}`);
      // An update that saves what only steers the provider reads nothing.
      const changes = world()
        .ledger()
        .filter((one) => one.id === id && one.by === "api");
      const last = changes.at(-1);
      // The same call once more, after a kill: the effect of the first one shows while the second is under way.
      const isUnclear = last === undefined || last.at < begunMs || isRepeat(last) || touched.has(id);
      if (!isUnclear && !isSettled(fact)) blame("untrue", `${logical} (${id}) is done, and still ${fact.status}`);
    },
    // Pulumi: the state still says what was before, and an update back to that has nothing to do.
    cutOff: (entry) => void touched.set(entry.id, new Set(Object.keys(find(entry)?.values ?? {}))),
    seen: ({ id }) => void touched.delete(id),
    replacing({ logical, kind, args }, { id, outputs }) {
      const isAllowed = kind !== "service" || args["allowReplace"] === true;
      const isProtected = outputs["deletionProtection"] === true;
      if (!isAllowed || isProtected) blame("unasked delete", `${logical} is to be replaced, which it does not allow`);
      asked.replaced.add(id);
    },
    forcing: ({ id }) => void asked.replaced.add(id),
    deleting({ logical, id, outputs, isPending }) {
      if (outputs["deletionProtection"] === true) return;
      asked.deleted.add(id);
      // Of two entries with one id, live and pending, the live one keeps its object.
      if (!isPending) asked.rows.add(`${logical} ${id}`);
    },
    forgotten(entry, why) {
      const isThere = find(entry) !== undefined;
      if (isThere && why === "read") blame("lost id", `${entry.logical}: a read forgot ${entry.id}, which is there`);
      if (isThere && why === "delete" && entry.outputs["onDelete"] === "stop") asked.left.add(entry.id);
    },
    failed(operation, { logical }, failure) {
      failures.push(failure);
      leaks.said(failure.text);
      told += `${failure.text}\n`;
      if (failure.code === undefined) blame("untrue", `${logical}: a defect: ${failure.text}`);
      if (operation !== "create") return;
      for (const [key, whose] of creates) {
        if (whose === logical && failure.code === "OUTCOME_UNKNOWN") unknownOutcomes.set(key, logical);
      }
      forget(creates, logical);
    },
    kept(entry) {
      const plain: Values = { ...markSecrets(entry.outputs) };
      delete plain["password"];
      delete plain["initialPassword"];
      leaks.said(JSON.stringify(plain));
    },

    begin(nowMs) {
      begunMs = nowMs;
      failures = [];
    },
    requested(record) {
      if (!record.committed || record.method !== "POST") return;
      const made = world().ledger().at(-1);
      if (made?.event === "created" && made.requestId === record.id) duplicates.created(made);
    },
    review(state, wasKilled) {
      for (const { password, initialPassword } of world().state().services) {
        leaks.isSecret(password);
        leaks.isSecret(initialPassword);
      }
      for (const line of leaks.search()) blame("leak", `a secret in: ${line}`);
      for (const what of duplicates.found((id) => asked.replaced.has(id))) blame("duplicate", what);
      const ledger = world().ledger();
      for (const entry of ledger.slice(ledgerSeen)) checkLedger(entry);
      ledgerSeen = ledger.length;

      if (wasKilled) for (const [key, logical] of creates) unknownOutcomes.set(key, logical);
      creates.clear();
      for (const { kind, identity, id } of strays(state)) {
        const isKnown = told.includes(id) || unknownOutcomes.has(`${kind} ${identity}`);
        if (!isKnown) blame("orphan", `${kind} ${identity} (${id}) is in no state, and nobody was told`);
      }
      const there = new Set(facts().map(({ kind, id }) => `${kind} ${id}`));
      for (const { kind, id, logical } of state.entries.values()) {
        const isThere = there.has(`${kind} ${id}`) || takenAway.has(id) || asked.rows.has(`${logical} ${id}`);
        if (!isThere) blame("lost id", `${logical}: ${id} is in the state and not on the server`);
      }
    },
    compare(state) {
      for (const entry of state.entries.values()) {
        const fact = find(entry);
        const lines = fact === undefined ? ["it is not on the server"] : differences(entry, fact);
        for (const line of lines) blame("untrue", `${entry.logical} (${entry.id}): ${line}`);
      }
      for (const { kind, identity, id } of strays(state))
        blame("orphan", `${kind} ${identity} (${id}) is still in no state`);
    },
  };
}
