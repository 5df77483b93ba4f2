// The view of the run: what the program of this run is, by the events of all its processes. Handlers never see the whole
// state, and one object can have several entries in it. Only handlers write here, each with one event for what the engine's
// call means. Each question is answered from all that was written before it. The sequences of calls are recorded from the real
// engine (test/engine/recordings).

import type { PartialError } from "../domain/errors";
import { isEqual, type Values } from "../domain/values/value";
import {
  ALONE,
  type Declared,
  type EntryFacts,
  type Event,
  type Fact,
  type Identity,
  type Moves,
  NOBODY,
  type Protection,
  type Replaced,
  type RunLog,
  type RunObject,
  RunTables,
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

/** What the run knows of an object: who has it, who wants it, and what becomes of it. */
interface Claims {
  /** The resource of the program that has the object and keeps it. */
  readonly keeper: string | undefined;
  /** The resource that is to adopt the object, or was refused because of it. */
  readonly claimant: string | undefined;
  /** The one of these whose program says so. */
  readonly adopter: string | undefined;
  /** A resource that only refers to the object, by `get`. */
  readonly reader: string | undefined;
  /** Whether a resource of the program has had the object at any time in this run, also if it is replaced by now. */
  readonly isOfProgram: boolean;
  /** Whether the program keeps the object, or a part of it. What this run replaces is not in use: its delete may follow. */
  readonly isInUse: boolean;
  readonly replaced: Replaced;
  /** A delete of it has begun, and nobody has said how it ended. */
  readonly isGoing: boolean;
  readonly isRemoved: boolean;
  readonly protection: Protection | undefined;
  readonly moves: Moves | undefined;
  /** The outputs that only the answer of its create had. */
  readonly shownOnce: Values | undefined;
  /** Also for a forced replacement, of which no call names the object: one of the kind is new, and nobody keeps this one. */
  readonly mayBeReplaced: () => boolean;
  /** Whether the resources that keep the object change it in this run to something else than this. */
  readonly isGivenUp: (words: string) => boolean;
  /** Its parts by the state, whatever the program says of them by now. */
  readonly parts: () => string[];
}

/** What the run knows of a resource of the program. */
interface ResourceFacts {
  /** The program has it: `check` was called for it. */
  readonly isRegistered: boolean;
  /** What its object is called by the state. */
  readonly name: unknown;
  /** Whether the program protects its object. */
  readonly isProtecting: boolean;
  /** Its object is still to be created: what is deleted before that is replaced. */
  readonly isToCome: boolean;
  /** Whether the program refers to an object under its name, by `get`. */
  readonly isReader: boolean;
  /** A create of it lost its answer. */
  readonly hasLost: boolean;
  /** Its entries in the state. A create of it replaces their objects, for whatever reason. */
  readonly predecessors: readonly EntryFacts[];
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

export class RunView {
  readonly #log: RunLog;
  readonly #tables = new RunTables();
  readonly #shownOnce = new Map<string, Values>();
  #isUnwritten = false;

  constructor(log: RunLog = ALONE) {
    this.#log = log;
  }

  /** Tells the other processes of the run, too. Outputs stay in this process. */
  tell(by: Resource, fact: Fact): void {
    const event: Event = "entry" in fact ? { by, ...fact, entry: this.#factsOf(fact.entry) } : { by, ...fact };
    this.#current();
    this.#isUnwritten = !this.#log.append(event);
    this.#tables.fold(event, false);
  }

  /** `check`, and `create` where the project is known only then. */
  declares(resource: Resource, declared: Declared): void {
    const { digest } = this.#log;
    const [place, words] = [digest(declared.place), digest(declared.words)];
    const before = declared.before === undefined ? undefined : digest(declared.before);
    const told = { place, words, before, isAlone: declared.isAlone };
    if (!this.#isUnwritten && isEqual(told, this.#current().known(resource?.key)?.declared)) return;
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
    const otherwise = this.#current().hasProgram ? "cascade" : "state";
    const by = this.resource(resource).isRegistered ? "program" : otherwise;
    const isKept = by === "program" || (isChecked && resource === undefined);
    this.tell(resource, { is: "compared", entry, isKept, owner, renamed: by === "program" ? renamed : undefined });
    return by;
  }

  /** Returns who else has the object: another process may have said so in the same moment. */
  obtained(resource: Resource, object: string): string | undefined {
    this.tell(resource, { is: "obtained", object });
    return this.claimsOn(object, resource?.key ?? NOBODY).keeper;
  }

  /**
   * A create, update, `get` or import of the resource, or a look-up. All processes learn that it has failed, until one that began
   * later succeeds: of two at once, each may have kept the program from declaring something.
   */
  async change<T>(resource: Resource, work: () => Promise<T>): Promise<T> {
    const isRepeat = this.#tables.known(resource?.key)?.hasFailed === true;
    try {
      const result = await work();
      if (isRepeat) this.tell(resource, { is: "attempted", outcome: "succeeded" });
      return result;
    } catch (error) {
      this.tell(resource, { is: "attempted", outcome: "failed" });
      throw error;
    }
  }

  /** `except`: the key of a resource that does not count. */
  claimsOn(object: string, except?: string): Claims {
    const tables = this.#current();
    const known = tables.object(object);
    const keepers = [...known.holders].filter(([, isKept]) => isKept).map(([key]) => tables.resource(key));
    const keeper = keepers.find(({ key }) => key !== except);
    const claimants = [...known.claimants].filter((key) => key !== except);
    const isOfProgram = known.holders.size > 0;
    const nameOf = (key: string | undefined): string | undefined =>
      key === undefined ? undefined : tables.resource(key).name;
    return {
      keeper: keeper && `${keeper.name}${keeper.checked?.isElsewhere === true ? " (under another provider)" : ""}`,
      claimant: nameOf(claimants[0]),
      adopter: nameOf(claimants.find((key) => tables.resource(key).checked?.adopts !== undefined)),
      reader: nameOf([...known.readers][0]),
      isOfProgram,
      isInUse: keeper !== undefined || (!isOfProgram && known.isOwner),
      replaced: known.replaced,
      isGoing: known.deletes > 0,
      isRemoved: known.isRemoved,
      protection: known.protection,
      moves: known.moves,
      shownOnce: this.#shownOnce.get(object),
      mayBeReplaced: () => known.replaced !== "no" || (keeper === undefined && tables.newOnes(known.kind).length > 0),
      isGivenUp: (words) => {
        const what = this.#log.digest(words);
        return (
          keepers.length > 0 &&
          keepers.every(({ declared: one, hasFailed }) => !hasFailed && one?.before === what && one.words !== what)
        );
      },
      parts: () => {
        const parts = this.entries(({ owner }) => owner?.object === object);
        // Pulumi: with `deletedWith`, it calls no handler for a part that is replaced as well.
        return parts.filter((part) => tables.object(part.object).replaced === "no").map(({ label }) => label);
      },
    };
  }

  resource(resource: Resource): ResourceFacts {
    const known = this.#current().known(resource?.key);
    const checked = known?.checked;
    return {
      isRegistered: checked !== undefined,
      name: checked?.isNew === false ? checked.objectName : undefined,
      isProtecting: checked?.isProtected === true,
      isToCome: checked?.isNew === true && !checked.isCreated,
      isReader: known?.isReader === true,
      hasLost: known?.isLost === true,
      predecessors: [...(known?.entries.values() ?? [])],
    };
  }

  /** The entries of the state that `diff` has named in this run, if they pass the test and their objects are not deleted. */
  entries(isMeant: (entry: EntryFacts) => boolean): EntryFacts[] {
    const tables = this.#current();
    const meant: EntryFacts[] = [];
    // Each delete asks this of all that the run knows.
    for (const { entries } of tables.resources())
      for (const entry of entries.values()) if (isMeant(entry)) meant.push(entry);
    return meant.filter(({ object }) => {
      const { isRemoved, deletes } = tables.object(object);
      return !isRemoved && deletes === 0;
    });
  }

  /** What has failed in this run. */
  failed(): string | undefined {
    for (const { hasFailed, name } of this.#current().resources()) if (hasFailed) return name;
    return undefined;
  }

  /** The stacks of all resources, and these. Pulumi: a run is of one. */
  stacks(named: readonly string[]): string[] {
    const { stacks } = this.#current();
    for (const stack of named) stacks.add(stack);
    return [...stacks];
  }

  /** Undefined if the processes of the run know all of each other. */
  unshared(): Unshared | undefined {
    if (this.#current().isUnread) return "unread";
    return this.#isUnwritten ? "unwritten" : undefined;
  }

  /** Whether a create of this run has made or adopted an object with this id. */
  hasMade(id: string): boolean {
    return this.#current()
      .objects()
      .some((one) => one.isMade && one.id === id);
  }

  /** The other resources of the program that declare this at this place. */
  declaredBeside(resource: Resource, place: string, words: string): { name: string; isAlone: boolean }[] {
    const tables = this.#current();
    const [at, what, own] = [this.#log.digest(place), this.#log.digest(words), tables.known(resource?.key)];
    return [...tables.declarersOf(what)].flatMap((one) => {
      const { name, declared } = one;
      if (one === own || declared?.place !== at || declared.words !== what) return [];
      return [{ name, isAlone: declared.isAlone }];
    });
  }

  /** The names that this run moves to another object or from it, as far as the given one gets or gives a name. */
  namesMoved(object: string): MovedName[] {
    const tables = this.#current();
    const own = tables.object(object);
    const isOther = (one: RunObject): boolean => one !== own && one.kind === own.kind;
    const given = [...tables.renamed].filter(isOther).flatMap((to) => moved(own, to.renamed, to));
    if (own.renamed === undefined) return given;
    const gotten = tables
      .objects()
      .filter(isOther)
      .flatMap((from) => moved(from, own.renamed, own));
    const toNew = tables
      .newOnes(own.kind)
      .filter(({ isCreated, isElsewhere }) => !isCreated && !isElsewhere)
      .flatMap(({ objectName }) => moved(own, objectName));
    return [...gotten, ...given, ...toNew];
  }

  /** The same for a name that an object to be created gets. */
  namesMovedToNew(kind: string, name: unknown): MovedName[] {
    const { renamed } = this.#current();
    return [...renamed].filter((one) => one.kind === kind).flatMap((from) => moved(from, name));
  }

  /** The tables, after all that the other processes have written. */
  #current(): RunTables {
    for (const event of this.#log.next()) {
      try {
        this.#tables.fold(event as Event, true);
      } catch {
        this.#tables.isUnread = true;
      }
    }
    return this.#tables;
  }

  #factsOf({ shownOnce = {}, ...facts }: EntryFacts & Partial<KnownEntry>): EntryFacts {
    if (Object.keys(shownOnce).length > 0) this.#shownOnce.set(facts.object, shownOnce);
    return facts;
  }
}

/** Without `to`, to an object that is to be created. */
function moved(from: RunObject, name: unknown, to?: RunObject): MovedName[] {
  if (!from.names.has(name)) return [];
  const guarded = [from, to].find((one) => one?.protection === "protected")?.label;
  return [{ name, from: from.label, to: to?.label ?? "a new one (EMPTY)", guarded }];
}

/** What one run tells the later ones of the same user. A key can hold words of inputs, so none is stored. */
export interface Notes {
  read(key: string): string | undefined;
  /** Undefined: it no longer holds. */
  write(key: string, text: string | undefined): void;
}

/** Notes that end with the process. */
export function createNotes(): Notes {
  const notes = new Map<string, string | undefined>();
  return {
    read: (key) => notes.get(key),
    write: (key, text) => void notes.set(key, text),
  };
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
