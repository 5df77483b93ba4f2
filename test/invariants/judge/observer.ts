// The engine model's state, and the events that it reports to its observer.

import type { Values } from "../../../provider/domain/values/value";
import type { Declared } from "../operator/declared";
import type { Kind } from "../../support/providerProcess";

/** The resource of an event. */
export type Named = Pick<Declared, "logical" | "kind">;

/** The engine's record of a resource. */
export interface Entry {
  logical: string;
  kind: Kind;
  id: string;
  inputs: Values;
  outputs: Values;
  /** The last create or update ended early. */
  isHalfMade: boolean;
  /** It was replaced, and its deletion is pending. */
  isPending: boolean;
  needs: readonly string[];
}

export interface State {
  entries: Map<string, Entry>;
  /** Replaced objects whose deletion is pending. */
  replaced: Entry[];
}

export type Operation = "create" | "update" | "delete" | "read";

/** Receives the events of the engine: the judge, and sometimes a second observer. */
export interface Observer {
  operating(operation: Operation, declared: Named): void;
  creating(declared: Declared, inputs: Values): void;
  /** The engine has the id. */
  created(declared: Declared, id: string): void;
  /** A create or update has succeeded. */
  converged(entry: Entry): void;
  /** A read has succeeded. */
  seen(entry: Entry): void;
  /** A kill interrupted an update or a delete: its effect is unknown. */
  cutOff(entry: Entry): void;
  replacing(declared: Declared, entry: Entry): void;
  /** A user forces its replacement, so a second object beside it is wanted. */
  forcing(entry: Entry): void;
  deleting(entry: Entry): void;
  /** It left the state, because a delete succeeded or a read found nothing. */
  forgotten(entry: Entry, why: "delete" | "read"): void;
  failed(operation: Operation, declared: Named, error: Failure): void;
  /** The stored entry, in full. */
  kept(entry: Entry): void;
}

/** An error as a user sees it. */
export interface Failure {
  text: string;
  /** The code of the error itself; undefined for a defect. */
  code: string | undefined;
  isPartial: boolean;
}
