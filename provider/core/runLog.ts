// What has happened in the run: the events of all its processes, each with its handlers, and the two tables that they fold to,
// resources and objects. Events hold ids, names and flags, never values.

/** Protection against deletion. "unprotected": off, although tagged as production. "untagged": the live tag decides. */
export type Protection = "protected" | "unprotected" | "untagged";

/** What a run makes of the place of an object: it moves, or it may move or be replaced because of an unknown value. */
export type Moves = "moves" | "may move" | "may be replaced";

/** Identifies a resource of the program. */
export interface Identity {
  readonly key: string;
  /** Its name in the program, for messages. */
  readonly name: string;
  /** Its project and stack. */
  readonly stack?: string | undefined;
}

/** One entry of the state, as far as it decides what may happen to its object. */
export interface EntryFacts {
  readonly object: string;
  readonly id: string;
  readonly name: string | undefined;
  /** For messages: the object by the name in the state, because the program may give its successor another name. */
  readonly label: string;
  readonly protection: Protection;
  /** It goes although nobody can read it: the protection is switched off, or no run has read it yet. */
  readonly mayGoUnread: boolean;
  /** The delete is refused if the live object is tagged as production. */
  readonly tagProtects: boolean;
  /** Saved by an earlier version, which was told to stop the object in place of a delete. */
  readonly stopsOnDelete: boolean;
  /** The object with which this one must not be deleted while that is protected, and its protection by this entry. */
  readonly owner?: { readonly object: string; readonly label: string; readonly mark: unknown };
  /** The object that the program said to adopt when the entry was written. */
  readonly adoptId: unknown;
  /** When the object was created, as the server has shown it. */
  readonly created: unknown;
  readonly regionCode?: unknown;
  /** The ids in its path, under the names of the inputs. */
  readonly located: Readonly<Record<string, unknown>>;
}

/** What a resource of the program declares. */
export interface Declared {
  /** Deployment, kind and project. Elsewhere there is no duplicate. */
  readonly place: string;
  /** What duplicates have in common. */
  readonly words: string;
  /** The same by the state; undefined if the resource is to be created. */
  readonly before: string | undefined;
  /** It takes that in this run, by its create or by a change. */
  readonly isAlone: boolean;
}

/**
 * `by`: the resource; undefined if the caller does not know it. Versions of this package can share a run, and none destroys or
 * adopts after an event of a kind that it does not know: what an older one must not pass over needs a kind of its own.
 */
export type Event = { readonly by: Identity | undefined } & Fact;

/** What a handler has seen or done. `object`: its kind and id. */
export type Fact =
  | {
      /** `check`. With empty olds the engine creates it next (`isNew`), whether it is new or replaced. */
      readonly is: "checked";
      readonly kind: string;
      readonly isNew: boolean;
      /** What its object is to be called. */
      readonly name: unknown;
      /** The object that its create is to adopt. */
      readonly adopts: string | undefined;
      /** The object whose part it is. */
      readonly owner: string | undefined;
      /** The program protects its object, and so the one that this would replace. */
      readonly isProtected: boolean;
    }
  /** With digests in place of the words, which can hold other inputs than names. */
  | { readonly is: "declared"; readonly declared: Declared }
  /** `diff`. `isKept`: the program has the resource, or nobody knows whose the object is. */
  | {
      readonly is: "compared";
      readonly entry: EntryFacts;
      readonly isKept: boolean;
      readonly owner: string | undefined;
      /** The new name that the program gives it. */
      readonly renamed: string | undefined;
    }
  /** The planner has decided that the resource gets another object. */
  | { readonly is: "replaced"; readonly object: string; readonly as: "as failed" | "as changed" }
  /** The protection that an update of this run would store, and what it makes of the addresses. */
  | {
      readonly is: "planned";
      readonly object: string;
      readonly protection: Protection;
      readonly moves?: Moves | undefined;
    }
  /** It is to adopt one of these objects, or was refused because of them. */
  | { readonly is: "intends to adopt"; readonly objects: readonly string[] }
  /** The entry is to be deleted, until "destroyed". */
  | { readonly is: "intends to destroy"; readonly entry: EntryFacts }
  /** A delete has ended: it has confirmed that the object is gone, or had no effect. */
  | { readonly is: "destroyed"; readonly object: string; readonly isGone: boolean }
  /** `create` has made or adopted the object. */
  | { readonly is: "obtained"; readonly object: string }
  /**
   * A create, an update, a `get`, an import or a look-up has ended. "lost": the outcome of a create that was sent is unknown.
   * "succeeded" is told only after a failure.
   */
  | { readonly is: "attempted"; readonly outcome: "lost" | "failed" | "succeeded" }
  /** An entry of the state was read, or written anew by `create` or `update`. */
  | { readonly is: "seen"; readonly entry: EntryFacts; readonly isWritten: boolean }
  /** `get`: the program refers to the object, and does not manage it. */
  | { readonly is: "referred"; readonly object: string };

/** Why the processes of a run may not know all of each other: an event cannot be written, or not be read. */
export type Unshared = "unwritten" | "unread";

/** The events of the other processes of the run, and what they are told of this one. */
export interface RunLog {
  /** Returns once the others can read it; false if it cannot be written. */
  append(event: Event): boolean;
  /** What the others have appended since the last time. Other versions of this package can have written it. */
  next(): readonly unknown[];
  /** In place of words that can hold values of inputs. */
  digest(this: void, words: string): string;
}

/** A run of one process. */
export const ALONE: RunLog = { append: () => true, next: () => [], digest: (words) => words };

/** The kind in the key of an object. */
export function kindOf(object: string): string {
  return object.slice(0, object.indexOf("/"));
}

/** The id in the key of an object. */
export function idInObject(object: string): string {
  return object.slice(object.indexOf("/") + 1).split(" ")[0] ?? "";
}

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
  readonly adopts: string | undefined;
  isCreated: boolean;
}

/** What the run knows of one resource. */
interface RunResource {
  readonly key: string;
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
  /** It refers to an object by `get`. */
  isReader: boolean;
  /** Its create lost its answer. */
  isLost: boolean;
  /** Its create, update, `get` or import has failed, or a look-up of this name. */
  hasFailed: boolean;
}

/** Whether `diff` has decided to replace an object, and whether for no other reason than that it has failed. */
export type Replaced = "no" | "as failed" | "as changed";

/** What the run knows of one object. */
export interface RunObject {
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
  replaced: Replaced;
  /** The program has a part of it. */
  isOwner: boolean;
  isRemoved: boolean;
  /** Deletes of it that have not ended. */
  deletes: number;
  protection: Protection | undefined;
  moves: Moves | undefined;
}

/** The key of the callers that no rule gives a resource. */
export const NOBODY = "";

export class RunTables {
  readonly #resources = new Map<string, RunResource>();
  /** By kind and id; objects of several deployments can share that. */
  readonly #objects = new Map<string, RunObject[]>();
  // Two indexes, for what each resource of a large program asks.
  /** The objects that get another name: few, in most runs none. */
  readonly renamed = new Set<RunObject>();
  /** The resources that have declared these words, at some time. */
  readonly #declaring = new Map<string, Set<RunResource>>();
  /** Those of the resources. */
  readonly stacks = new Set<string>();
  /** Whether the program has any resource. */
  hasProgram = false;
  /** An event could not be read, as one of another version of this package. */
  isUnread = false;

  /** `isElsewhere`: another process has written it. */
  fold(event: Event, isElsewhere: boolean): void {
    const key = event.by?.key ?? NOBODY;
    const resource = this.resource(key);
    if (event.by !== undefined) resource.name = event.by.name;
    if (event.by?.stack !== undefined) this.stacks.add(event.by.stack);
    switch (event.is) {
      case "checked": {
        const { kind, isNew, name: objectName, adopts, owner, isProtected } = event;
        resource.checked = { isElsewhere, kind, objectName, isNew, isCreated: false, isProtected, adopts };
        resource.declared = undefined;
        this.hasProgram = true;
        this.#want(resource, adopts === undefined ? [] : [adopts]);
        if (isNew) for (const object of resource.held) release(key, object);
        this.#own(owner);
        break;
      }
      case "declared":
        if (resource.checked === undefined) break;
        resource.declared = event.declared;
        this.#declaring.set(event.declared.words, this.declarersOf(event.declared.words).add(resource));
        break;
      case "compared": {
        const { entry, isKept, owner, renamed } = event;
        const object = this.#learn(entry);
        object.renamed = renamed;
        if (renamed === undefined) this.renamed.delete(object);
        else this.renamed.add(object);
        if (isKept) hold(resource, object);
        if (isKept) this.#own(owner);
        resource.entries.set(entry.object, entry);
        break;
      }
      case "replaced": {
        const object = this.object(event.object);
        object.replaced = event.as;
        release(key, object);
        break;
      }
      case "planned": {
        const object = this.object(event.object);
        object.protection = event.protection;
        object.moves = event.moves;
        break;
      }
      case "intends to adopt":
        this.#want(resource, event.objects);
        for (const object of resource.wanted) release(key, object);
        break;
      case "intends to destroy":
        this.#learn(event.entry).deletes += 1;
        break;
      case "destroyed": {
        const object = this.object(event.object);
        object.deletes -= 1;
        object.isRemoved ||= event.isGone;
        break;
      }
      case "obtained": {
        if (resource.checked !== undefined) resource.checked.isCreated = true;
        this.#want(resource, []);
        const object = this.object(event.object);
        object.isMade = true;
        hold(resource, object);
        break;
      }
      case "attempted":
        if (event.outcome === "lost") resource.isLost = true;
        else resource.hasFailed = event.outcome === "failed";
        break;
      case "seen":
        if (event.isWritten) this.object(event.entry.object).protection = undefined;
        this.#learn(event.entry);
        break;
      case "referred":
        resource.isReader = true;
        this.object(event.object).readers.add(key);
        break;
      default:
        this.isUnread = true;
    }
  }

  resources(): Iterable<RunResource> {
    return this.#resources.values();
  }

  objects(): RunObject[] {
    return [...this.#objects.values()].flat();
  }

  declarersOf(words: string): Set<RunResource> {
    return this.#declaring.get(words) ?? new Set();
  }

  /** What was said of the resources of a kind that are to be created. */
  newOnes(kind: string): Checked[] {
    return [...this.resources()].flatMap(({ checked }) =>
      checked?.isNew === true && checked.kind === kind ? [checked] : [],
    );
  }

  /** Undefined if no event names the resource. */
  known(key: string | undefined): RunResource | undefined {
    return key === undefined ? undefined : this.#resources.get(key);
  }

  resource(key: string): RunResource {
    const found = this.#resources.get(key);
    if (found !== undefined) return found;
    const known: RunResource = {
      key,
      name: "a resource",
      checked: undefined,
      declared: undefined,
      entries: new Map(),
      held: new Set(),
      wanted: [],
      isReader: false,
      isLost: false,
      hasFailed: false,
    };
    this.#resources.set(key, known);
    return known;
  }

  object(object: string): RunObject {
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
      replaced: "no",
      isOwner: false,
      isRemoved: false,
      deletes: 0,
      protection: undefined,
      moves: undefined,
    };
    this.#objects.set(name, [...same, known]);
    return known;
  }

  /** One protected entry protects the object from the deletes of all its entries. */
  #learn({ object, label, name, protection }: EntryFacts): RunObject {
    const known = this.object(object);
    if (known.names.size === 0) known.label = label;
    if (name !== undefined) known.names.add(name);
    if (known.protection !== "protected") known.protection = protection;
    return known;
  }

  /** From now on it wants these, and no other. Those whom no rule places are several: none of them ends what another wants. */
  #want(resource: RunResource, names: readonly string[]): void {
    const { key } = resource;
    if (key !== NOBODY) for (const object of resource.wanted) object.claimants.delete(key);
    resource.wanted = names.map((name) => this.object(name));
    for (const object of resource.wanted) object.claimants.add(key);
  }

  #own(owner: string | undefined): void {
    if (owner !== undefined) this.object(owner).isOwner = true;
  }
}

function hold(resource: RunResource, object: RunObject): void {
  object.holders.set(resource.key, true);
  resource.held.add(object);
}

function release(key: string, object: RunObject): void {
  if (object.holders.has(key)) object.holders.set(key, false);
}
