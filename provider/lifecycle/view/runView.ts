// The view of the run: what the program of this run is, folded from the events of all its processes. Handlers never see the
// whole state, and one object can have several entries in it. Only handlers write here, each with one event for what the
// engine's call means. Each question is answered from all that was written before it. The sequences of calls are recorded
// from the real engine (test/engine/recordings).

import type { PartialError } from "../../domain/errors";
import { isEqual, type Values } from "../../domain/values/value";
import {
  ALONE,
  createNotes,
  type Declared,
  type EntryFacts,
  type Event,
  type Fact,
  type Identity,
  idInObject,
  kindOf,
  type Moves,
  type Notes,
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

/** What the last `check` of a resource has said. */
interface Checked {
  readonly isElsewhere: boolean;
  readonly kind: string;
  /** What its object is to be called. */
  readonly objectName: unknown;
  /** It is to be created, or has been: it had no entry in the state, or gets another object. */
  readonly isNew: boolean;
  /** The program protects its object. */
  readonly isProtected: boolean;
  isCreated: boolean;
}

/** What the run knows of one resource. */
interface RunResource {
  name: string;
  /** Undefined if the program does not have it. */
  checked: Checked | undefined;
  declared: Declared | undefined;
  /** Its entries in the state that `diff` has named, by object. */
  readonly entries: Map<string, EntryFacts>;
  /** The objects that it has in this run, or had. */
  readonly held: Set<RunObject>;
  /** The objects that it is to adopt. */
  wanted: readonly RunObject[];
  /** Its create lost its answer. */
  isLost: boolean;
  /** Its create, update, `get` or import has failed, or a look-up of this name. */
  hasFailed: boolean;
}

/** What the run knows of one object. */
interface RunObject {
  readonly id: string;
  readonly kind: string;
  /** For messages, from its first entry. */
  label: string;
  /** Its names by the state. */
  readonly names: Set<unknown>;
  /** The new name that the program gives it. */
  renamed: string | undefined;
  /** Undefined while nobody has said it. */
  project: string | undefined;
  /** Whether each resource that has it keeps it. False: it gets another one. */
  readonly holders: Map<string, boolean>;
  readonly claimants: Set<string>;
  /** Resources that refer to it by `get`. */
  readonly readers: Set<string>;
  /** A create of this run has made or adopted it. */
  isMade: boolean;
  /** Its replacement was decided by `diff`, and why: because it has failed, or because the program has changed. */
  isReplaced: boolean;
  isReplacedAsFailed: boolean;
  /** The program has a part of it. */
  isOwner: boolean;
  isRemoved: boolean;
  /** Deletes of it that have not ended. */
  deletes: number;
  protection: Protection | undefined;
  moves: Moves | undefined;
}

/** A name that this run moves from one object of the state to another, or to a new one. */
export interface MovedName {
  readonly name: unknown;
  readonly from: string;
  readonly to: string;
  /** That of the two which is protected. */
  readonly guarded: string | undefined;
}

type Resource = Identity | undefined;

/** The key of the callers that no rule gives a resource. */
const NOBODY = "";

export class RunView {
  readonly #log: RunLog;
  readonly #resources = new Map<string, RunResource>();
  /** By kind and id; objects of several deployments can share that. */
  readonly #objects = new Map<string, RunObject[]>();
  // Two indexes, for what each resource of a large program asks.
  /** The objects that get another name: few, in most runs none. */
  readonly #renamed = new Set<RunObject>();
  /** The resources that have declared these words, at some time. */
  readonly #declaring = new Map<string, Set<RunResource>>();
  readonly #shownOnce = new Map<string, Values>();
  #hasProgram = false;
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
    const checked = this.#known(resource)?.checked;
    return checked?.isNew === false ? checked.objectName : undefined;
  }

  /** `check`, and `create` where the project is known only then. */
  declares(resource: Resource, declared: Declared): void {
    const { digest } = this.#log;
    const [place, words] = [digest(declared.place), digest(declared.words)];
    const before = declared.before === undefined ? undefined : digest(declared.before);
    const told = { place, words, before, isAlone: declared.isAlone };
    if (!this.#isUnwritten && isEqual(told, this.#known(resource)?.declared)) return;
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
    return this.#known(resource)?.checked !== undefined;
  }

  /** The other resources of the program that declare this at this place. */
  declaredBeside(resource: Resource, place: string, words: string): { name: string; isAlone: boolean }[] {
    const [at, what, own] = [this.#log.digest(place), this.#log.digest(words), this.#known(resource)];
    return [...this.#declarersOf(what)].flatMap((one) => {
      const { name, declared } = one;
      if (one === own || declared?.place !== at || declared.words !== what) return [];
      return [{ name, isAlone: declared.isAlone }];
    });
  }

  /** Whether the resources that keep the object change it in this run to something else than this. */
  isGivenUp(object: string, words: string): boolean {
    const what = this.#log.digest(words);
    const declared = this.#keepersOf(object).map((key) => this.#resource(key).declared);
    return declared.length > 0 && declared.every((one) => one?.before === what && one.words !== what);
  }

  hasLost(resource: Resource): boolean {
    return this.#known(resource)?.isLost === true;
  }

  /**
   * A create, update, `get` or import of the resource, or a look-up. All processes learn that it has failed, until one that began
   * later succeeds: of two at once, each may have kept the program from declaring something.
   */
  async change<T>(resource: Resource, work: () => Promise<T>): Promise<T> {
    const isRepeat = resource !== undefined && this.#resources.get(resource.key)?.hasFailed === true;
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
    return [...this.#resources.values()].find((one) => one.hasFailed)?.name;
  }

  /** The resource of the program, other than this one, that has the object and keeps it. */
  keeperOf(object: string, except?: string): string | undefined {
    const key = this.#keepersOf(object).find((one) => one !== except);
    if (key === undefined) return undefined;
    const { name, checked } = this.#resource(key);
    return `${name}${checked?.isElsewhere === true ? " (under another provider)" : ""}`;
  }

  /** A resource that only refers to the object, by `get`. */
  readerOf(object: string): string | undefined {
    return this.#firstOf(this.#current(object).readers);
  }

  /** Whether the program keeps the object, or a part of it. What this run replaces is not in use: its delete may follow. */
  isInUse(object: string): boolean {
    return this.keeperOf(object) !== undefined || (!this.isHeld(object) && this.#current(object).isOwner);
  }

  /** The resource, other than this one, that is to adopt the object, or was refused because of it. */
  claimantOf(object: string, except?: Resource): string | undefined {
    return this.#firstOf([...this.#current(object).claimants].filter((key) => key !== except?.key));
  }

  /** Whether a resource of the program has the object, or had it before this run replaced it. */
  isHeld(object: string): boolean {
    return this.#current(object).holders.size > 0;
  }

  isReplaced(object: string): boolean {
    return this.#current(object).isReplaced;
  }

  /** Whether `diff` has decided to replace the object for no other reason than that it has failed. */
  isReplacedAsFailed(object: string): boolean {
    return this.#current(object).isReplacedAsFailed;
  }

  /** Whether the program protects the object of the resource. */
  isProtecting(resource: Resource): boolean {
    return this.#known(resource)?.checked?.isProtected === true;
  }

  /** Whether the program only refers to an object under the name of the resource, by `get`. */
  isReader(resource: Resource): boolean {
    this.#follow();
    return resource !== undefined && this.#all().some(({ readers }) => readers.has(resource.key));
  }

  /** The parts of the object by the state, whatever the program says of them by now. */
  partsOf(object: string): string[] {
    const parts = this.entries(({ owner }) => owner?.object === object);
    // Pulumi: with `deletedWith`, it calls no handler for a part that is replaced as well.
    return parts.filter((part) => !this.isReplaced(part.object)).map(({ label }) => label);
  }

  /** Also for a forced replacement, of which no call names the object: one of the kind is new, and nobody keeps this one. */
  mayBeReplaced(object: string, kind: string): boolean {
    if (this.isReplaced(object)) return true;
    return this.keeperOf(object) === undefined && this.#newOnes(kind).length > 0;
  }

  /** Whether a create of this run has made or adopted an object with this id. */
  hasMade(id: string): boolean {
    this.#follow();
    return this.#all().some((one) => one.isMade && one.id === id);
  }

  /** The names that this run moves to another object or from it, as far as the given one gets or gives a name. */
  namesMoved(object: string): MovedName[] {
    const own = this.#current(object);
    const isOther = (one: RunObject): boolean => one !== own && one.kind === own.kind;
    const given = [...this.#renamed].filter(isOther).flatMap((to) => moved(own, to.renamed, to));
    if (own.renamed === undefined) return given;
    const gotten = this.#all()
      .filter(isOther)
      .flatMap((from) => moved(from, own.renamed, own));
    const toNew = this.#newOnes(own.kind)
      .filter(({ isCreated, isElsewhere }) => !isCreated && !isElsewhere)
      .flatMap(({ objectName }) => moved(own, objectName));
    return [...gotten, ...given, ...toNew];
  }

  /** The same for a name that an object to be created gets. */
  namesMovedToNew(kind: string, name: unknown): MovedName[] {
    this.#follow();
    return [...this.#renamed].filter((one) => one.kind === kind).flatMap((from) => moved(from, name));
  }

  isRemoved(object: string): boolean {
    return this.#current(object).isRemoved;
  }

  /** Whether a delete of the object has begun, and nobody has said how it ended. */
  isGoing(object: string): boolean {
    return this.#current(object).deletes > 0;
  }

  /** The entries of the resource in the state. A create of it replaces their objects, for whatever reason. */
  predecessorsOf(resource: Resource): readonly EntryFacts[] {
    return [...(this.#known(resource)?.entries.values() ?? [])];
  }

  /** The entries of the state that `diff` has named in this run, if they pass the test and their objects are not deleted. */
  entries(isMeant: (entry: EntryFacts) => boolean): EntryFacts[] {
    this.#follow();
    const all = [...this.#resources.values()].flatMap(({ entries }) => [...entries.values()].filter(isMeant));
    return all.filter(({ object }) => {
      const { isRemoved, deletes } = this.#object(object);
      return !isRemoved && deletes === 0;
    });
  }

  protectionOf(object: string): Protection | undefined {
    return this.#current(object).protection;
  }

  movesOf(object: string): Moves | undefined {
    return this.#current(object).moves;
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
    const key = event.by?.key ?? NOBODY;
    const resource = this.#resource(key);
    if (event.by !== undefined) resource.name = event.by.name;
    switch (event.is) {
      case "checked": {
        const { kind, isNew, name: objectName, adopts, owner, isProtected } = event;
        resource.checked = { isElsewhere, kind, objectName, isNew, isCreated: false, isProtected };
        resource.declared = undefined;
        this.#hasProgram = true;
        this.#want(key, adopts === undefined ? [] : [adopts]);
        if (isNew) for (const object of resource.held) release(key, object);
        this.#own(owner);
        break;
      }
      case "declared":
        if (resource.checked === undefined) break;
        resource.declared = event.declared;
        this.#declaring.set(event.declared.words, this.#declarersOf(event.declared.words).add(resource));
        break;
      case "compared": {
        const { entry, isKept, owner, renamed } = event;
        const object = this.#learn(entry);
        object.renamed = renamed;
        if (renamed === undefined) this.#renamed.delete(object);
        else this.#renamed.add(object);
        if (isKept) this.#hold(key, object);
        if (isKept) this.#own(owner);
        resource.entries.set(entry.object, entry);
        break;
      }
      case "replaced": {
        const object = this.#object(event.object);
        object.isReplaced = true;
        object.isReplacedAsFailed = event.because === "failed";
        release(key, object);
        break;
      }
      case "planned": {
        const object = this.#object(event.object);
        object.protection = event.protection;
        object.moves = event.moves;
        break;
      }
      case "intends to adopt":
        this.#want(key, event.objects);
        for (const object of resource.wanted) release(key, object);
        break;
      case "intends to destroy":
        this.#learn(event.entry).deletes += 1;
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
        if (resource.checked !== undefined) resource.checked.isCreated = true;
        this.#want(key, []);
        const object = this.#object(event.object);
        object.isMade = true;
        this.#hold(key, object);
        break;
      }
      case "lost":
        resource.isLost = true;
        break;
      case "failed":
      case "succeeded":
        resource.hasFailed = event.is === "failed";
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
  #learn({ object, label, name, protection }: EntryFacts): RunObject {
    const known = this.#object(object);
    if (known.names.size === 0) known.label = label;
    if (name !== undefined) known.names.add(name);
    if (known.protection !== "protected") known.protection = protection;
    return known;
  }

  #hold(key: string, object: RunObject): void {
    object.holders.set(key, true);
    this.#resource(key).held.add(object);
  }

  /** From now on it wants these, and no other. Those whom no rule places are several: none of them ends what another wants. */
  #want(key: string, names: readonly string[]): void {
    const resource = this.#resource(key);
    if (key !== NOBODY) for (const object of resource.wanted) object.claimants.delete(key);
    resource.wanted = names.map((name) => this.#object(name));
    for (const object of resource.wanted) object.claimants.add(key);
  }

  #own(owner: string | undefined): void {
    if (owner !== undefined) this.#object(owner).isOwner = true;
  }

  #factsOf({ shownOnce = {}, ...facts }: EntryFacts & Partial<KnownEntry>): EntryFacts {
    if (Object.keys(shownOnce).length > 0) this.#shownOnce.set(facts.object, shownOnce);
    return facts;
  }

  #resource(key: string): RunResource {
    const found = this.#resources.get(key);
    if (found !== undefined) return found;
    const known: RunResource = {
      name: "a resource",
      checked: undefined,
      declared: undefined,
      entries: new Map(),
      held: new Set(),
      wanted: [],
      isLost: false,
      hasFailed: false,
    };
    this.#resources.set(key, known);
    return known;
  }

  #object(object: string): RunObject {
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
    const known: RunObject = {
      id: idInObject(name),
      kind: kindOf(name),
      label: object,
      names: new Set(),
      renamed: undefined,
      project,
      holders: new Map(),
      claimants: new Set(),
      readers: new Set(),
      isMade: false,
      isReplaced: false,
      isReplacedAsFailed: false,
      isOwner: false,
      isRemoved: false,
      deletes: 0,
      protection: undefined,
      moves: undefined,
    };
    this.#objects.set(name, [...same, known]);
    return known;
  }

  // For questions that have read on already.

  #all(): RunObject[] {
    return [...this.#objects.values()].flat();
  }

  #declarersOf(words: string): Set<RunResource> {
    return this.#declaring.get(words) ?? new Set();
  }

  #newOnes(kind: string): Checked[] {
    return [...this.#resources.values()].flatMap(({ checked }) =>
      checked?.isNew === true && checked.kind === kind ? [checked] : [],
    );
  }

  #firstOf(keys: Iterable<string>): string | undefined {
    const [key] = keys;
    return key === undefined ? undefined : this.#resource(key).name;
  }

  // These read on first.

  #current(object: string): RunObject {
    this.#follow();
    return this.#object(object);
  }

  #known(resource: Resource): RunResource | undefined {
    this.#follow();
    return resource && this.#resources.get(resource.key);
  }

  #keepersOf(object: string): string[] {
    return [...this.#current(object).holders].filter(([, isKept]) => isKept).map(([key]) => key);
  }

  #comparisonOf(resource: Resource): Comparison {
    if (this.isRegistered(resource)) return "program";
    return this.#hasProgram ? "cascade" : "state";
  }
}

/** Without `to`, to an object that is to be created. */
function moved(from: RunObject, name: unknown, to?: RunObject): MovedName[] {
  if (!from.names.has(name)) return [];
  const guarded = [from, to].find((one) => one?.protection === "protected")?.label;
  return [{ name, from: from.label, to: to?.label ?? "a new one (EMPTY)", guarded }];
}

function release(key: string, object: RunObject): void {
  if (object.holders.has(key)) object.holders.set(key, false);
}

/** What the handlers of one provider process share about their own operations. */
export class Memory {
  readonly view: RunView;
  /** What the last create or update of a resource has left, if it ended early. */
  readonly unfinished = new Map<string, PartialError>();
  readonly notes: Notes;

  constructor(log?: RunLog, notes = createNotes()) {
    this.view = new RunView(log);
    this.notes = notes;
  }
}
