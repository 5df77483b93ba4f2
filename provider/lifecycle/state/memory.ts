// What the handlers of one provider process share about their own operations.

import { RunView, type OtherProcesses } from "../view/runView";

/** A resource of the program, from its `check`. */
export interface Declaration {
  /** Its name in the program. */
  name: string;
  /** It is to be created, and a duplicate is not allowed. */
  isAlone: boolean;
}

/** The holder of a name: a create under way, a created object, or a create with an unknown outcome. */
export interface Holder {
  is: "underWay" | "made" | "unknown";
  object?: string;
}

export class Memory {
  readonly view: RunView;
  /** Names that this process creates or has created; several holders if the program allows duplicates. */
  readonly reservations = new Map<string, Set<Holder>>();
  /** The declared identities of the program's resources, from the checks so far. */
  readonly declared = {
    /** By the identity that duplicates share, then by the resource. */
    reservations: new Map<string, Map<string, Declaration>>(),
    /** By resource: its last declared identity. Pulumi: a replaced resource is checked twice. */
    byIdentity: new Map<string, string>(),
  };
  /** By object: the names that it holds. */
  readonly named = new Map<string, Set<string>>();
  /** Objects whose addresses a change of this run moves, or may move because of an unknown value. */
  readonly moving = new Map<string, "moves" | "may move">();
  /** Reads of objects of the state that are under way. */
  readonly readsUnderWay = new Set<symbol>();
  /** Pairs of addresses: an object that the state knows from the first address answered at the second. */
  readonly sameDeployments = new Set<string>();

  constructor(others?: OtherProcesses) {
    this.view = new RunView(others);
  }
}
