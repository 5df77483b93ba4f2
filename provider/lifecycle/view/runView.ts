// The view of the run: what the program of this run is, from the calls of the engine. Handlers never see the whole state, and
// one object can have several entries in it. Only handlers write here, each with one call for what the engine's call means.
// The sequences of calls are recorded from the real engine (test/engine/recordings).

import type { Values } from "../../domain/values/value";

/** Protection against deletion. "unprotected": off, although tagged as production. "untagged": the live tag decides. */
export type Protection = "protected" | "unprotected" | "untagged";

/** One entry of the state, as far as it decides what may happen to its object. */
export interface Entry {
  readonly object: string;
  readonly id: string;
  readonly name: string | undefined;
  /** For messages: the object by the name in the state, because the program may give its successor another name. */
  readonly label: string;
  readonly protection: Protection;
  /** The program has switched the protection off. */
  readonly isProtectionOff: boolean;
  /** The delete is refused if the live object is tagged as production. */
  readonly isRefusedByTag: boolean;
  /** `onDelete: "stop"`: a delete stops the object and leaves it, with its data. */
  readonly isLeft: boolean;
  /** It was taken after the answer of its create was lost, and the program has not confirmed it. */
  readonly isUnconfirmed: boolean;
  /** The object with which this one must not be deleted while that is protected, and its protection by this entry. */
  readonly owner?: { readonly object: string; readonly label: string; readonly mark: unknown };
  /** The object that the program said to adopt when the entry was written. */
  readonly adoptId: unknown;
  /** The outputs that only the answer of its create had. */
  readonly shownOnce: Values;
  /** The ids in its path, under the names of the inputs. */
  readonly located: Values;
}

/** Identifies a resource of the program. */
export interface Identity {
  readonly key: string;
  /** Its name in the program, for messages. */
  readonly name: string;
}

/**
 * Who compares. "program": the program of this run has the resource, because `check` was called for it before. "cascade": an
 * object on which it depends is replaced, the old one first. Pulumi: that calls `diff` for all dependents in the state, also
 * for those that the program does not have any more. "state": a refresh, or a destroy.
 */
export type Comparison = "program" | "cascade" | "state";

/** What the other provider processes of the run have said of objects. Each provider instance has its own process. */
export interface OtherProcesses {
  /** False if they cannot be told. */
  announce(object: string, claim: Claim): boolean;
  /** The claim of another process; undefined if none has one. */
  claimOn(object: string): Claim | undefined;
}

/** "kept": a resource of the program has the object. "wanted": it is to adopt it, or exists beside it. */
export interface Claim {
  is: "kept" | "wanted" | "none";
  /** The name of the resource. */
  by: string;
}

const ALONE: OtherProcesses = { announce: () => true, claimOn: () => undefined };

/** What a resource of the program declares. */
interface Declared {
  /** Deployment, kind and project. Elsewhere there is no duplicate. */
  readonly place: string;
  /** What duplicates have in common. */
  readonly words: string;
  /** The same by the state; undefined if the resource is to be created. */
  readonly before: string | undefined;
  /** It takes that in this run, by its create or by a change, and no other resource may have it too. */
  readonly isAlone: boolean;
}

interface Registration {
  name: string;
  declared?: Declared;
  kind: string;
  /** What its object is to be called. */
  objectName: unknown;
  /** It is to be created, or has been: it had no entry in the state, or gets another object. */
  isNew: boolean;
  isCreated: boolean;
}

/** An entry of the state that a resource had, and whether the program's own `diff` compared it. */
export interface Predecessor {
  entry: Entry;
  by: Comparison;
}

type Resource = Identity | undefined;

export class RunView {
  readonly #others: OtherProcesses;
  readonly #registered = new Map<string, Registration>();
  /** By object, then by resource: whether that keeps the object. False: it gets another one. */
  readonly #holders = new Map<string, Map<string, boolean>>();
  /** By resource: what it is to adopt, or what stopped its create. */
  readonly #wanted = new Map<string, readonly string[]>();
  readonly #predecessors = new Map<string, Map<string, Predecessor>>();
  /** Objects whose replacement `diff` decided. */
  readonly #replaced = new Set<string>();
  /** Objects whose parts the program has. */
  readonly #owners = new Set<string>();
  /** The ids of objects that a create has made or adopted. */
  readonly #made = new Set<string>();
  /** Resources whose create lost its answer. */
  readonly #lost = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #protections = new Map<string, Protection>();
  readonly #shownOnce = new Map<string, Values>();

  constructor(others: OtherProcesses = ALONE) {
    this.#others = others;
  }

  /**
   * `check`: the program has the resource, and is to adopt an object with it, or none. With empty olds the engine creates it
   * next, whether it is new or replaced. False if the other processes cannot be told.
   */
  checked(resource: Resource, kind: string, isNew: boolean, objectName?: unknown, adopted?: string): boolean {
    if (resource === undefined) return true;
    this.#registered.set(resource.key, { name: resource.name, kind, objectName, isNew, isCreated: false });
    this.#want(resource.key, []);
    if (isNew) for (const object of this.#holders.keys()) this.#release(resource.key, object);
    return adopted === undefined || this.#want(resource.key, [adopted]);
  }

  /** What its object is called by the state. */
  nameOf(resource: Resource): unknown {
    const found = resource && this.#registered.get(resource.key);
    return found?.isNew === false ? found.objectName : undefined;
  }

  /** `check`, and `create` where the project is known only then. */
  declares(resource: Resource, declared: Declared): void {
    const registration = this.#registered.get(resource?.key ?? "");
    if (registration !== undefined) registration.declared = declared;
  }

  /** A create was refused because these objects exist. */
  refused(resource: Resource, objects: readonly string[]): void {
    if (resource !== undefined) this.#want(resource.key, objects);
  }

  /** `diff`; `owner`: the object whose part it is by the program. */
  compared(resource: Resource, entry: Entry, owner?: string): Comparison {
    this.seen(entry);
    const by = this.#comparisonOf(resource);
    if (resource === undefined) return by;
    if (by === "program") {
      this.#keep(resource.key, entry.object);
      this.owns(owner);
    }
    const known = this.#predecessors.get(resource.key) ?? new Map<string, Predecessor>();
    this.#predecessors.set(resource.key, known.set(entry.object, { entry, by }));
    return by;
  }

  /** The planner has decided that the resource gets another object. */
  replaced(resource: Resource, object: string): void {
    this.#replaced.add(object);
    if (resource !== undefined) this.#release(resource.key, object);
  }

  /** `create` has made or adopted an object. */
  obtained(resource: Resource, object: string): void {
    const key = resource?.key ?? "";
    const registration = this.#registered.get(key);
    if (registration !== undefined) registration.isCreated = true;
    this.#made.add(object.slice(object.indexOf("/") + 1));
    this.#want(key, []);
    this.#keep(key, object);
  }

  /** A create of the resource was sent, and its outcome is unknown. */
  lost(resource: Resource): void {
    if (resource !== undefined) this.#lost.add(resource.key);
  }

  /** The program has a part of this object. */
  owns(owner: string | undefined): void {
    if (owner !== undefined) this.#owners.add(owner);
  }

  /** `delete` has confirmed that the object is gone. */
  removed(object: string): void {
    this.#removed.add(object);
  }

  /** An entry of the state was seen. One protected entry protects the object from the deletes of all its entries. */
  seen(entry: Entry): void {
    if (this.#protections.get(entry.object) !== "protected") this.#protections.set(entry.object, entry.protection);
    if (Object.keys(entry.shownOnce).length > 0) this.#shownOnce.set(entry.object, entry.shownOnce);
  }

  /** `create` or `update` has written this entry. */
  saved(entry: Entry): void {
    this.#protections.delete(entry.object);
    this.seen(entry);
  }

  /** The protection that an update of this run would store. */
  protects(object: string, protection: Protection): void {
    this.#protections.set(object, protection);
  }

  isRegistered(resource: Resource): boolean {
    return resource !== undefined && this.#registered.has(resource.key);
  }

  /** This run creates an object of this name, and has not done so yet. After a rename the state has another URN for it. */
  isToBeCreated(kind: string, objectName: string | undefined): boolean {
    const waiting = [...this.#registered.values()].filter(({ isNew, isCreated }) => isNew && !isCreated);
    return waiting.some((one) => one.kind === kind && one.objectName === objectName);
  }

  /** The other resources of the program that declare this at this place. */
  declaredBeside(resource: Resource, place: string, words: string): { name: string; isAlone: boolean }[] {
    return [...this.#registered].flatMap(([key, { declared, name }]) => {
      if (key === resource?.key || declared?.place !== place || declared.words !== words) return [];
      return [{ name, isAlone: declared.isAlone }];
    });
  }

  /** Whether the resources that keep the object change it in this run to something else than this. */
  isGivenUp(object: string, words: string): boolean {
    const keys = this.#keepersOf(object);
    const declared = keys.map((key) => this.#registered.get(key)?.declared);
    return keys.length > 0 && declared.every((one) => one?.before === words && one.words !== words);
  }

  hasLost(resource: Resource): boolean {
    return resource !== undefined && this.#lost.has(resource.key);
  }

  /** The resource of the program that has the object and keeps it. */
  keeperOf(object: string): string | undefined {
    const [key] = this.#keepersOf(object);
    if (key !== undefined) return this.#registered.get(key)?.name ?? "a resource";
    const other = this.#others.claimOn(object);
    return other?.is === "kept" ? `${other.by} (under another provider)` : undefined;
  }

  /** Whether the program keeps the object, or a part of it. What this run replaces is not in use: its delete may follow. */
  isInUse(object: string): boolean {
    return this.keeperOf(object) !== undefined || (!this.isHeld(object) && this.#owners.has(object));
  }

  /** The resource that is to adopt the object, or was refused because of it. */
  wanterOf(object: string): string | undefined {
    const [key] = [...this.#wanted].find(([, objects]) => objects.includes(object)) ?? [];
    if (key !== undefined) return this.#registered.get(key)?.name ?? "a resource";
    const other = this.#others.claimOn(object);
    return other?.is === "wanted" ? other.by : undefined;
  }

  /** Whether a resource of the program has the object, or had it before this run replaced it. */
  isHeld(object: string): boolean {
    return this.#holders.has(object);
  }

  isReplaced(object: string): boolean {
    return this.#replaced.has(object);
  }

  /** Also for a forced replacement, of which no call names the object: one of the kind is new, and nobody keeps this one. */
  mayBeReplaced(object: string, kind: string): boolean {
    if (this.#replaced.has(object)) return true;
    if (this.keeperOf(object) !== undefined) return false;
    return [...this.#registered.values()].some((one) => one.isNew && one.kind === kind);
  }

  /** Whether a create of this run has made or adopted an object with this id. */
  hasMade(id: string): boolean {
    return this.#made.has(id);
  }

  isRemoved(object: string): boolean {
    return this.#removed.has(object);
  }

  /** The entries of the resource in the state. A create of it replaces their objects, for whatever reason. */
  predecessorsOf(resource: Resource): readonly Predecessor[] {
    return [...(this.#predecessors.get(resource?.key ?? "")?.values() ?? [])];
  }

  protectionOf(object: string): Protection | undefined {
    return this.#protections.get(object);
  }

  /** The outputs that only the answer of the object's create had. */
  shownOnceOf(object: string): Values | undefined {
    return this.#shownOnce.get(object);
  }

  #keepersOf(object: string): string[] {
    return [...(this.#holders.get(object) ?? [])].filter(([, isKept]) => isKept).map(([key]) => key);
  }

  #comparisonOf(resource: Resource): Comparison {
    if (this.isRegistered(resource)) return "program";
    return this.#registered.size > 0 ? "cascade" : "state";
  }

  #keep(key: string, object: string): void {
    this.#holders.set(object, (this.#holders.get(object) ?? new Map<string, boolean>()).set(key, true));
    this.#announce(object);
  }

  #release(key: string, object: string): void {
    const holders = this.#holders.get(object);
    if (holders?.get(key) !== true) return;
    holders.set(key, false);
    this.#announce(object);
  }

  #want(key: string, objects: readonly string[]): boolean {
    const before = this.#wanted.get(key) ?? [];
    this.#wanted.set(key, objects);
    return [...new Set([...before, ...objects])].map((object) => this.#announce(object)).every(Boolean);
  }

  /** Tells the other processes, for objects that may have an entry under another provider. */
  #announce(object: string): boolean {
    const [keeper] = this.#keepersOf(object);
    const [wanter] = [...this.#wanted].find(([, objects]) => objects.includes(object)) ?? [];
    const is = keeper === undefined ? (wanter === undefined ? "none" : "wanted") : "kept";
    const key = keeper ?? wanter ?? "";
    return this.#others.announce(object, { is, by: this.#registered.get(key)?.name ?? "a resource" });
  }
}

/** What the handlers of one provider process share about their own operations. */
export class Memory {
  readonly view: RunView;
  /** Objects whose addresses a change of this run moves, or may move because of an unknown value. */
  readonly moving = new Map<string, "moves" | "may move">();
  /** Objects of the state that this run does not find. */
  readonly absent = new Map<string, { label: string; projectId: string }>();

  constructor(others?: OtherProcesses) {
    this.view = new RunView(others);
  }
}
