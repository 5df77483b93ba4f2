// What one process of the provider remembers of its own doings. Handlers never see the state: this is how two of them
// learn of each other. Objects go by kind and id, because ids of different kinds may be equal.

/** Who holds a name: a create under way, an object that was made, or a create whose outcome nobody knows. */
export interface Holder {
  is: "underWay" | "made" | "unknown";
  object?: string;
}

export interface Memory {
  /** Names that this process creates or has created; by several where a program wants twins. */
  readonly claims: Map<string, Set<Holder>>;
  /** By object: the names that it holds. */
  readonly named: Map<string, Set<string>>;
  /** Objects that this process created. */
  readonly created: Set<string>;
  /** Objects that a create of this process took over. */
  readonly adopted: Set<string>;
  /** Objects that the program has already: `diff` compared them, for a resource with one of these URNs. */
  readonly managed: Map<string, ReadonlySet<unknown>>;
  /** Objects whose replacement `diff` decided. */
  readonly replacing: Set<string>;
  /** By URN: the object that `diff` compared. A create under the same URN is its replacement, whoever decided that. */
  readonly predecessors: Map<string, Predecessor>;
  /** Objects that this process deleted, and saw gone. */
  readonly removed: Set<string>;
  /** Objects that were read and not compared since: the next `diff` belongs to the refresh, which changes nothing. */
  readonly justRead: Set<string>;
}

export interface Predecessor {
  id: string;
  isProtected: boolean;
}

export function createMemory(): Memory {
  return {
    claims: new Map(),
    named: new Map(),
    created: new Set(),
    adopted: new Set(),
    managed: new Map(),
    replacing: new Set(),
    predecessors: new Map(),
    removed: new Set(),
    justRead: new Set(),
  };
}

/** An object, as the memory knows it. */
export function objectOf(resource: { readonly kind: string }, id: string): string {
  return `${resource.kind}/${id}`;
}
