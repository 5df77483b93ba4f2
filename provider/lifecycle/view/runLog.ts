// The log of the run: what the handlers of all its processes have seen and done, one event after the other. Each provider
// instance has a process of its own, and they read each other's events. Events hold ids, names and flags, never values.

/** Protection against deletion. "unprotected": off, although tagged as production. "untagged": the live tag decides. */
export type Protection = "protected" | "unprotected" | "untagged";

/** What a run makes of the addresses of an object: it moves them, or may do so because of an unknown value. */
export type Moves = "moves" | "may move";

/** Identifies a resource of the program. */
export interface Identity {
  readonly key: string;
  /** Its name in the program, for messages. */
  readonly name: string;
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
  readonly isRefusedByTag: boolean;
  /** Saved by an earlier version, which was told to stop the object in place of a delete. */
  readonly stopsOnDelete: boolean;
  /** The object with which this one must not be deleted while that is protected, and its protection by this entry. */
  readonly owner?: { readonly object: string; readonly label: string; readonly mark: unknown };
  /** The object that the program said to adopt when the entry was written. */
  readonly adoptId: unknown;
  /** When the object was created, as the server has shown it. */
  readonly created: unknown;
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
  | { readonly is: "replaced"; readonly object: string; readonly because?: "failed" | undefined }
  /** The protection that an update of this run would store, and what it makes of the addresses. */
  | {
      readonly is: "planned";
      readonly object: string;
      readonly protection: Protection;
      readonly moves?: Moves | undefined;
    }
  /** It is to adopt one of these objects, or was refused because of them. */
  | { readonly is: "intends to adopt"; readonly objects: readonly string[] }
  /** The entry is to be deleted, until "removed" or "spared". */
  | { readonly is: "intends to destroy"; readonly entry: EntryFacts }
  /** A delete has ended without effect. */
  | { readonly is: "spared"; readonly object: string }
  /** A delete has confirmed that the object is gone. */
  | { readonly is: "removed"; readonly object: string }
  /** `create` has made or adopted the object. */
  | { readonly is: "obtained"; readonly object: string }
  /** A create was sent, and its outcome is unknown. */
  | { readonly is: "lost" }
  /** `create`, `update`, a `get`, an import or a look-up has failed. */
  | { readonly is: "failed" }
  /** It was repeated, and has not failed again. */
  | { readonly is: "succeeded" }
  /** `create` or `update` has written this entry. */
  | { readonly is: "saved"; readonly entry: EntryFacts }
  /** An entry of the state was read. */
  | { readonly is: "read"; readonly entry: EntryFacts }
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

/** What one run tells the later ones of the same user. A key can hold words of inputs, so none is stored. */
export interface Notes {
  read(key: string): string | undefined;
  /** Undefined: it no longer holds. */
  write(key: string, text: string | undefined): void;
}

/** Notes that end with the process. */
export function createNotes(): Notes {
  const notes = new Map<string, string>();
  return {
    read: (key) => notes.get(key),
    write: (key, text) => void (text === undefined ? notes.delete(key) : notes.set(key, text)),
  };
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
