// What one process of the provider remembers of its own doings. Handlers never see the state: this is how two of them
// learn of each other. Objects go by kind and id, because ids of different kinds may be equal.

/** A resource of the program, as its `check` saw it. */
export interface Declaration {
  /** It is to be made, and may not be made beside another one. */
  isAlone: boolean;
}

export interface Declared {
  /** By what makes them the same, and by URN. */
  readonly reservations: Map<string, Map<string, Declaration>>;
  /** By URN: what it was declared as last. Pulumi: what is replaced is checked twice. */
  readonly byUrn: Map<string, string>;
}

/** Who holds a name: a create under way, an object that was made, or a create whose outcome nobody knows. */
export interface Holder {
  is: "underWay" | "made" | "unknown";
  object?: string;
}

export interface Memory {
  /** Names that this process creates or has created; by several where a program wants duplicates. */
  readonly reservations: Map<string, Set<Holder>>;
  /** What the program's resources were declared as, by the checks so far. */
  readonly declared: Declared;
  /** By object: the names that it holds. */
  readonly named: Map<string, Set<string>>;
  /** Objects that this process created. */
  readonly created: Set<string>;
  /** Objects that a create of this process took over. */
  readonly adopted: Set<string>;
  /** Objects that resources of the running program have: `diff` compared them. By object: URN → what becomes of it. */
  readonly held: Map<string, Map<unknown, Holding>>;
  /** Resources that the program has registered in this run: `check` was called for their URN. */
  readonly registered: Set<unknown>;
  /** Objects whose addresses a change of this run moves, or may move by what is not known yet. */
  readonly moving: Map<string, "moves" | "may move">;
  /** Objects whose replacement `diff` decided. */
  readonly replacing: Set<string>;
  /** By URN: the objects that `diff` compared. A create under the same URN replaces them, whoever decided that. */
  readonly predecessors: Map<unknown, Map<string, Predecessor>>;
  /** Objects that an entry of the state protects, as far as this process has seen the entries. */
  readonly protectedObjects: Set<string>;
  /** By object: the password that it was made with, as an entry of the state has it. Nobody else can know it. */
  readonly initialPasswords: Map<string, string>;
  /** Objects that this process deleted, and saw gone. */
  readonly removed: Set<string>;
  /** By object: reads of a refresh whose `diff` is still to come. */
  readonly justRead: Map<string, number>;
  /** By object: whether it is protected against deletion, as its state says or will say. */
  readonly protections: Map<string, boolean>;
  /** What resources of the running program belong to. */
  readonly owners: Set<string>;
  /** Looks at objects of the state that have no answer yet. */
  readonly looking: Set<symbol>;
  /** Pairs of addresses: an object that the state knows from the first was seen at the second. */
  readonly sameDeployments: Set<string>;
}

/** A resource goes on with its object, or gets another one in this run. */
export type Holding = "kept" | "replaced";

export interface Predecessor {
  isProtected: boolean;
  /** The program itself has compared it in this run; otherwise only a refresh has. */
  isHeld: boolean;
}

export function createMemory(): Memory {
  return {
    reservations: new Map(),
    declared: { reservations: new Map(), byUrn: new Map() },
    named: new Map(),
    created: new Set(),
    adopted: new Set(),
    held: new Map(),
    registered: new Set(),
    moving: new Map(),
    replacing: new Set(),
    predecessors: new Map(),
    protectedObjects: new Set(),
    initialPasswords: new Map(),
    removed: new Set(),
    justRead: new Map(),
    protections: new Map(),
    owners: new Set(),
    looking: new Set(),
    sameDeployments: new Set(),
  };
}

/** An object, as the memory knows it. */
export function objectOf(resource: { readonly kind: string }, id: string): string {
  return `${resource.kind}/${id}`;
}

export function idIn(object: string): string {
  return object.slice(object.indexOf("/") + 1);
}
