// What the engine keeps, and what it reports to its observer.

import type { Values } from "../../../provider/domain/values/value";
import type { Declared } from "../operator/declared";
import type { Kind } from "../../support/providerProcess";

/** Which resource something is about. */
export type Named = Pick<Declared, "logical" | "kind">;

/** What the engine keeps of a resource. */
export interface Entry {
  logical: string;
  kind: Kind;
  id: string;
  inputs: Values;
  outputs: Values;
  /** The last create or update ended early. */
  isHalfMade: boolean;
  /** It was replaced, and is still to be deleted. */
  isPending: boolean;
  needs: readonly string[];
}

export interface State {
  entries: Map<string, Entry>;
  /** Replaced ones that are still to be deleted. */
  replaced: Entry[];
}

export type Operation = "create" | "update" | "delete" | "read";

/** Somebody who watches the engine at work, and judges. */
export interface Observer {
  operating(operation: Operation, declared: Named): void;
  creating(declared: Declared, inputs: Values): void;
  /** The engine has the id now. */
  created(declared: Declared, id: string): void;
  /** A create or update went well, and says so. */
  converged(entry: Entry): void;
  /** A read went well. */
  seen(entry: Entry): void;
  /** An update or a delete was cut off by a kill: nobody knows how far it came. */
  cutOff(entry: Entry): void;
  replacing(declared: Declared, entry: Entry): void;
  /** A user forces its replacement: another one beside it is what was asked for. */
  forcing(entry: Entry): void;
  deleting(entry: Entry): void;
  /** It left the state, because of a delete that went well or a read that found nothing. */
  forgotten(entry: Entry, why: "delete" | "read"): void;
  failed(operation: Operation, declared: Named, error: Failure): void;
  /** Everything that is kept, as it is kept. */
  kept(entry: Entry): void;
}

/** An error as a user sees it. */
export interface Failure {
  text: string;
  /** The code of the error itself; undefined for a defect. */
  code: string | undefined;
  isPartial: boolean;
}
