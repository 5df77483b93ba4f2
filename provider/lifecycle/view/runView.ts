// The view of the run: what the program of this run is, folded from the events of all its processes. Handlers never see the
// whole state, and one object can have several entries in it. Only handlers write here, each with one event for what the
// engine's call means. Each question is answered from all that was written before it. The sequences of calls are recorded
// from the real engine (test/engine/recordings).

import type { PartialError } from "../../domain/errors";
import { isEqual, type Values } from "../../domain/values/value";
import {
  ALONE,
  type Declared,
  type EntryFacts,
  type Event,
  type Fact,
  type Identity,
  idInObject,
  kindOf,
  type Moves,
  type Protection,
  type RunLog,
  type Unshared,
} from "./runLog";

export type { Identity, Protection } from "./runLog";

/** `shownOnce`: the outputs that only the answer of its create had. They stay in this process. */
export type KnownEntry = EntryFacts & { readonly shownOnce: Values };

/**
 * Who compares. "program": the program of this run has the resource, because `check` was called for it before. "cascade": an
 * object on which it depends is replaced, the old one first. Pulumi: that calls `diff` for all dependents in the state, also
 * for those that the program does not have any more. "state": a refresh, or a destroy.
 */
export type Comparison = "program" | "cascade" | "state";

/** A resource of the program. */
interface Member {
  name: string;
  isElsewhere: boolean;
  declared?: Declared;
  kind: string;
  /** What its object is to be called. */
  objectName: unknown;
  /** It is to be created, or has been: it had no entry in the state, or gets another object. */
  isNew: boolean;
  isCreated: boolean;
}

/** What the run knows of one object. */
interface Known {
  readonly id: string;
  kind: string;
  /** For messages, from its first entry. */
  label: string;
  /** Its names by the state. */
  names: Set<string>;
  /** The new name that the program gives it. */
  renamed: string | undefined;
  /** Undefined while nobody has said it. */
  project: string | undefined;
  /** Whether each resource that has it keeps it. False: it gets another one. */
  holders: Map<string, boolean>;
  claimants: Set<string>;
  /** Resources that refer to it by `get`. */
  readers: Set<string>;
  /** Its replacement was decided by `diff`. */
  isReplaced: boolean;
  /** The program has a part of it. */
  isOwner: boolean;
  isRemoved: boolean;
  /** Deletes of it that have not ended. */
  deletes: number;
  protection: Protection | undefined;
  moves: Moves | undefined;
  /** The project in which a refresh does not find it. */
  missedIn: string | undefined;
}

/** A name that this run moves from one object of the state to another, or to a new one. */
export interface MovedName {
  readonly name: string;
  readonly from: Pick<Known, "id" | "label">;
  readonly to: string;
}

const A_NEW_ONE = "a new one (EMPTY)";

type Resource = Identity | undefined;

/** For the objects of callers that no rule gives a resource. */
const NOBODY = "";

export class RunView {
  readonly #log: RunLog;
  readonly #names = new Map<string, string>();
  readonly #members = new Map<string, Member>();
  /** By kind and id; objects of several deployments can share that. */
  readonly #objects = new Map<string, Known[]>();
  /** Those that get another name: few, in most runs none. */
  readonly #renamed = new Set<Known>();
  /** By resource: what it keeps, and what it wants. */
  readonly #kept = new Map<string, Set<Known>>();
  readonly #wanted = new Map<string, readonly Known[]>();
  readonly #predecessors = new Map<string, Map<string, EntryFacts>>();
  /** The ids of objects that a create has made or adopted. */
  readonly #made = new Set<string>();
  /** Resources whose create lost its answer. */
  readonly #lost = new Set<string>();
  /** Resources whose create, update, `get` or import has failed, and look-ups that have. */
  readonly #failed = new Set<string>();
  /** The resources that have declared something: what is so now, they say. */
  readonly #declaring = new Map<string, Set<string>>();
  readonly #shownOnce = new Map<string, Values>();
  #isUnwritten = false;
  #isUnread = false;

  constructor(log: RunLog = ALONE) {
    this.#log = log;
  }

  /** Tells the other processes of the run, too. Outputs stay in this process. */
  tell(by: Resource, fact: Fact): void {
    const event: Event = "entry" in fact ? { by, ...fact, entry: this.#factsOf(fact.entry) } : { by, ...fact };
    this.#follow();
    this.#isUnwritten = !this.#log.append(event);
    this.#fold(event, false);
  }

  /** Undefined if the processes of the run know all of each other. */
  unshared(): Unshared | undefined {
    this.#follow();
    if (this.#isUnread) return "unread";
    return this.#isUnwritten ? "unwritten" : undefined;
  }

  /** What its object is called by the state. */
  nameOf(resource: Resource): unknown {
    const found = resource && this.#member(resource.key);
    return found?.isNew === false ? found.objectName : undefined;
  }

  /** `check`, and `create` where the project is known only then. */
  declares(resource: Resource, declared: Declared): void {
    const { digest } = this.#log;
    const [place, words] = [digest(declared.place), digest(declared.words)];
    const before = declared.before === undefined ? undefined : digest(declared.before);
    const told = { place, words, before, isAlone: declared.isAlone };
    if (!this.#isUnwritten && isEqual(told, resource && this.#member(resource.key)?.declared)) return;
    this.tell(resource, { is: "declared", declared: told });
  }

  /**
   * `owner`: the object whose part it is by the program. `isChecked`: a `check` came before, and hid whose it is. If no rule
   * places the object then, it counts as kept.
   */
  compared(
    resource: Resource,
    entry: KnownEntry,
    {
      owner,
      renamed,
      isChecked = false,
    }: { owner?: string | undefined; renamed?: string | undefined; isChecked?: boolean | undefined } = {},
  ): Comparison {
    const by = this.#comparisonOf(resource);
    const isKept = by === "program" || (isChecked && resource === undefined);
    this.tell(resource, { is: "compared", entry, isKept, owner, renamed: by === "program" ? renamed : undefined });
    return by;
  }

  /** Returns who else has the object: another process may have said so in the same moment. */
  obtained(resource: Resource, object: string): string | undefined {
    this.tell(resource, { is: "obtained", object });
    return this.keeperOf(object, resource?.key ?? NOBODY);
  }

  isRegistered(resource: Resource): boolean {
    return resource !== undefined && this.#member(resource.key) !== undefined;
  }

  /** This process creates an object of this name, and has not done so yet. After a rename the state has another URN for it. */
  isToBeCreated(kind: string, objectName: string | undefined): boolean {
    return this.#all().some(
      (one) => one.isNew && !one.isCreated && !one.isElsewhere && one.kind === kind && one.objectName === objectName,
    );
  }

  /** The other resources of the program that declare this at this place. */
  declaredBeside(resource: Resource, place: string, words: string): { name: string; isAlone: boolean }[] {
    this.#follow();
    const [at, what] = [this.#log.digest(place), this.#log.digest(words)];
    return [...(this.#declaring.get(what) ?? [])].flatMap((key) => {
      const { declared, name } = this.#members.get(key) ?? { name: "" };
      if (key === resource?.key || declared?.place !== at || declared.words !== what) return [];
      return [{ name, isAlone: declared.isAlone }];
    });
  }

  /** Whether the resources that keep the object change it in this run to something else than this. */
  isGivenUp(object: string, words: string): boolean {
    const what = this.#log.digest(words);
    const declared = this.#keepersOf(object).map((key) => this.#members.get(key)?.declared);
    return declared.length > 0 && declared.every((one) => one?.before === what && one.words !== what);
  }

  hasLost(resource: Resource): boolean {
    this.#follow();
    return resource !== undefined && this.#lost.has(resource.key);
  }

  /**
   * A create, update, `get` or import of the resource, or a look-up. All processes learn that it has failed, until one that began
   * later succeeds: of two at once, each may have kept the program from declaring something.
   */
  async change<T>(resource: Resource, work: () => Promise<T>): Promise<T> {
    const isRepeat = resource !== undefined && this.#failed.has(resource.key);
    try {
      const result = await work();
      if (isRepeat) this.tell(resource, { is: "succeeded" });
      return result;
    } catch (error) {
      this.tell(resource, { is: "failed" });
      throw error;
    }
  }

  /** What has failed in this run. */
  failed(): string | undefined {
    this.#follow();
    const [key] = this.#failed;
    return key === undefined ? undefined : this.#nameOf(key);
  }

  /** The resource of the program, other than this one, that has the object and keeps it. */
  keeperOf(object: string, except?: string): string | undefined {
    const key = this.#keepersOf(object).find((one) => one !== except);
    if (key === undefined) return undefined;
    return `${this.#nameOf(key)}${this.#members.get(key)?.isElsewhere === true ? " (under another provider)" : ""}`;
  }

  /** A resource that only refers to the object, by `get`. */
  readerOf(object: string): string | undefined {
    const [key] = this.#known(object).readers;
    return key === undefined ? undefined : this.#nameOf(key);
  }

  /** Whether the program keeps the object, or a part of it. What this run replaces is not in use: its delete may follow. */
  isInUse(object: string): boolean {
    return this.keeperOf(object) !== undefined || (!this.isHeld(object) && this.#known(object).isOwner);
  }

  /** The resource that is to adopt the object, or was refused because of it. */
  claimantOf(object: string): string | undefined {
    const [key] = this.#known(object).claimants;
    return key === undefined ? undefined : this.#nameOf(key);
  }

  /** Whether a resource of the program has the object, or had it before this run replaced it. */
  isHeld(object: string): boolean {
    return this.#known(object).holders.size > 0;
  }

  isReplaced(object: string): boolean {
    return this.#known(object).isReplaced;
  }

  /** Also for a forced replacement, of which no call names the object: one of the kind is new, and nobody keeps this one. */
  mayBeReplaced(object: string, kind: string): boolean {
    if (this.isReplaced(object)) return true;
    if (this.keeperOf(object) !== undefined) return false;
    return this.#all().some((one) => one.isNew && one.kind === kind);
  }

  /** Whether a create of this run has made or adopted an object with this id. */
  hasMade(id: string): boolean {
    this.#follow();
    return this.#made.has(id);
  }

  /** The names that this run moves to another object or from it, as far as the given one gets or gives a name. */
  namesMoved(object: string): MovedName[] {
    const own = this.#known(object);
    const move = (from: Known, to: Known): MovedName[] =>
      to !== from && to.renamed !== undefined && from.names.has(to.renamed)
        ? [{ name: to.renamed, from, to: to.label }]
        : [];
    const given = [...this.#renamed].filter(({ kind }) => kind === own.kind).flatMap((to) => move(own, to));
    if (own.renamed === undefined) return given;
    const toNew = [...own.names].filter((name) => this.isToBeCreated(own.kind, name));
    return [
      ...this.#ofKind(own.kind).flatMap((from) => move(from, own)),
      ...given,
      ...toNew.map((name) => ({ name, from: own, to: A_NEW_ONE })),
    ];
  }

  /** The same for a name that an object to be created gets. */
  namesMovedToNew(kind: string, name: string): MovedName[] {
    this.#follow();
    return [...this.#renamed]
      .filter((one) => one.kind === kind && one.names.has(name))
      .map((from) => ({ name, from, to: A_NEW_ONE }));
  }

  isRemoved(object: string): boolean {
    return this.#known(object).isRemoved;
  }

  /** Whether a delete of the object has begun, and nobody has said how it ended. */
  isGoing(object: string): boolean {
    return this.#known(object).deletes > 0;
  }

  /** The entries of the resource in the state. A create of it replaces their objects, for whatever reason. */
  predecessorsOf(resource: Resource): readonly EntryFacts[] {
    this.#follow();
    return [...(this.#predecessors.get(resource?.key ?? NOBODY)?.values() ?? [])];
  }

  /** The entries of the state that `diff` has named in this run, if they pass the test and their objects are not deleted. */
  entries(isMeant: (entry: EntryFacts) => boolean): EntryFacts[] {
    this.#follow();
    const all = [...this.#predecessors.values()].flatMap((entries) => [...entries.values()].filter(isMeant));
    return all.filter(({ object }) => {
      const { isRemoved, deletes } = this.#object(object);
      return !isRemoved && deletes === 0;
    });
  }

  protectionOf(object: string): Protection | undefined {
    return this.#known(object).protection;
  }

  movesOf(object: string): Moves | undefined {
    return this.#known(object).moves;
  }

  /** Another object of its kind that the refreshes of this run do not find in the project. */
  missedBeside(object: string, projectId: string): string | undefined {
    const own = this.#known(object);
    return this.#ofKind(own.kind).find((one) => one !== own && one.missedIn === projectId)?.label;
  }

  /** The outputs that only the answer of the object's create had. */
  shownOnceOf(object: string): Values | undefined {
    return this.#shownOnce.get(object);
  }

  /** Reads on in the events of the other processes. */
  #follow(): void {
    for (const event of this.#log.next()) {
      try {
        this.#fold(event as Event, true);
      } catch {
        this.#isUnread = true;
      }
    }
  }

  #fold(event: Event, isElsewhere: boolean): void {
    const { by } = event;
    const key = by?.key ?? NOBODY;
    if (by !== undefined) this.#names.set(key, by.name);
    switch (event.is) {
      case "checked": {
        const { kind, isNew, name, adopts, owner } = event;
        const own = { name: this.#nameOf(key), isElsewhere, kind, objectName: name, isNew, isCreated: false };
        this.#members.set(key, own);
        this.#want(key, adopts === undefined ? [] : [adopts]);
        if (isNew) for (const object of this.#kept.get(key) ?? []) this.#release(key, object);
        this.#own(owner);
        break;
      }
      case "declared": {
        const member = this.#members.get(key);
        if (member !== undefined) member.declared = event.declared;
        addTo(this.#declaring, event.declared.words, key);
        break;
      }
      case "compared": {
        const { entry, isKept, owner } = event;
        this.#learn(entry);
        const object = this.#object(entry.object);
        object.renamed = event.renamed;
        if (event.renamed === undefined) this.#renamed.delete(object);
        else this.#renamed.add(object);
        if (isKept) this.#keep(key, entry.object);
        if (isKept) this.#own(owner);
        if (by === undefined) break;
        const known = this.#predecessors.get(key) ?? new Map<string, EntryFacts>();
        this.#predecessors.set(key, known.set(entry.object, entry));
        break;
      }
      case "replaced": {
        const object = this.#object(event.object);
        object.isReplaced = true;
        this.#release(key, object);
        break;
      }
      case "planned": {
        const object = this.#object(event.object);
        object.protection = event.protection;
        object.moves = event.moves;
        break;
      }
      case "missed": {
        const object = this.#object(event.object);
        // What the program only refers to has told no entry.
        if (object.names.size === 0) object.label = event.label;
        object.missedIn = event.projectId;
        break;
      }
      case "intends to adopt":
        this.#want(key, event.objects);
        for (const object of this.#wanted.get(key) ?? []) this.#release(key, object);
        break;
      case "intends to destroy":
        this.#learn(event.entry);
        this.#object(event.entry.object).deletes += 1;
        break;
      case "spared":
        this.#object(event.object).deletes -= 1;
        break;
      case "removed": {
        const object = this.#object(event.object);
        object.deletes -= 1;
        object.isRemoved = true;
        break;
      }
      case "obtained": {
        const member = this.#members.get(key);
        if (member !== undefined) member.isCreated = true;
        this.#made.add(idInObject(event.object));
        this.#want(key, []);
        this.#keep(key, event.object);
        break;
      }
      case "lost":
        this.#lost.add(key);
        break;
      case "failed":
        this.#failed.add(key);
        break;
      case "succeeded":
        this.#failed.delete(key);
        break;
      case "saved":
        this.#object(event.entry.object).protection = undefined;
        this.#learn(event.entry);
        break;
      case "read":
        this.#learn(event.entry);
        break;
      case "referred":
        this.#object(event.object).readers.add(key);
        break;
      default:
        this.#isUnread = true;
    }
  }

  /** One protected entry protects the object from the deletes of all its entries. */
  #learn({ object, label, name, protection }: EntryFacts): void {
    const known = this.#object(object);
    if (known.names.size === 0) known.label = label;
    if (name !== undefined) known.names.add(name);
    if (known.protection !== "protected") known.protection = protection;
  }

  #keep(key: string, name: string): void {
    const object = this.#object(name);
    object.holders.set(key, true);
    addTo(this.#kept, key, object);
  }

  #release(key: string, object: Known): void {
    if (object.holders.has(key)) object.holders.set(key, false);
    this.#kept.get(key)?.delete(object);
  }

  #want(key: string, names: readonly string[]): void {
    // Those whom no rule places are several: none of them ends what another wants.
    if (key !== NOBODY) for (const object of this.#wanted.get(key) ?? []) object.claimants.delete(key);
    const objects = names.map((name) => this.#object(name));
    for (const object of objects) object.claimants.add(key);
    this.#wanted.set(key, objects);
  }

  #own(owner: string | undefined): void {
    if (owner !== undefined) this.#object(owner).isOwner = true;
  }

  #factsOf({ shownOnce = {}, ...facts }: EntryFacts & Partial<KnownEntry>): EntryFacts {
    if (Object.keys(shownOnce).length > 0) this.#shownOnce.set(facts.object, shownOnce);
    return facts;
  }

  #known(object: string): Known {
    this.#follow();
    return this.#object(object);
  }

  #object(object: string): Known {
    const [name = "", project] = object.split(" ");
    const same = this.#objects.get(name) ?? [];
    // An object whose project is not known yet is the one with its id.
    const found =
      project === undefined
        ? same[0]
        : (same.find((one) => one.project === project) ?? same.find((one) => one.project === undefined));
    if (found !== undefined) {
      found.project ??= project;
      return found;
    }
    const known: Known = {
      id: idInObject(name),
      kind: kindOf(name),
      label: object,
      names: new Set(),
      renamed: undefined,
      project,
      holders: new Map(),
      claimants: new Set(),
      readers: new Set(),
      isReplaced: false,
      isOwner: false,
      isRemoved: false,
      deletes: 0,
      protection: undefined,
      moves: undefined,
      missedIn: undefined,
    };
    this.#objects.set(name, [...same, known]);
    return known;
  }

  #ofKind(kind: string): Known[] {
    return [...this.#objects.values()].flat().filter((one) => one.kind === kind);
  }

  #member(key: string): Member | undefined {
    this.#follow();
    return this.#members.get(key);
  }

  /** For questions that have read on already, or are about this process. */
  #all(): Member[] {
    return [...this.#members.values()];
  }

  #keepersOf(object: string): string[] {
    return [...this.#known(object).holders].filter(([, isKept]) => isKept).map(([key]) => key);
  }

  #nameOf(key: string): string {
    return this.#names.get(key) ?? "a resource";
  }

  #comparisonOf(resource: Resource): Comparison {
    if (this.isRegistered(resource)) return "program";
    return this.#members.size > 0 ? "cascade" : "state";
  }
}

function addTo<T>(index: Map<string, Set<T>>, key: string, one: T): void {
  index.set(key, (index.get(key) ?? new Set()).add(one));
}

/** What the handlers of one provider process share about their own operations. */
export class Memory {
  readonly view: RunView;
  /** Objects that the program of this run confirms by `adoptId`. */
  readonly confirmed = new Set<string>();
  /** The old inputs of resources, by resource, until a `diff` shows the rest of their entries. */
  readonly oldInputs = new Map<string, Values>();
  /** What a create has taken for the object that it replaces, by resource, until the delete of that. */
  readonly taken = new Map<string, EntryFacts>();
  /** What the last create or update of a resource has left, if it ended early. */
  readonly unfinished = new Map<string, PartialError>();

  constructor(log?: RunLog) {
    this.view = new RunView(log);
  }
}
