// The state of the engine model, and the outcomes of its calls.

import type { Values } from "../../../provider/domain/values/value";
import type { Kind } from "../../support/providerProcess";
import type { Declared } from "../operator/declared";

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
  /** The explicit provider in whose process its handlers are called. */
  provider: number | undefined;
  trigger: number | undefined;
  deletedWith: string | undefined;
}

export interface State {
  entries: Map<string, Entry>;
  /** Replaced objects whose deletion is pending. */
  replaced: Entry[];
}

export const allOf = ({ entries, replaced }: State): Entry[] => [...entries.values(), ...replaced];

export type Operation = "create" | "update" | "delete" | "read";

/** An error as a user sees it. */
export interface Failure {
  text: string;
  /** The code of the error itself; undefined for a defect. */
  code: string | undefined;
  isPartial: boolean;
}
