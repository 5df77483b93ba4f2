// What a walk consists of: programs of a few resources, and steps. All of it is plain data, so that a sequence can be
// printed, copied and run again.

import type { Values } from "../../../provider/domain/values/value";
import type { Kind } from "../../support/providerProcess";

export const STACKS = ["dev", "other"] as const;
export type StackName = (typeof STACKS)[number];

/** The resource options that the walk draws, as `options.ts` of Pulumi names them; `provider` is an explicit one. */
export interface Options {
  deleteBeforeReplace?: boolean;
  replaceOnChanges?: string[];
  retainOnDelete?: boolean;
  deletedWith?: string;
  protect?: boolean;
  ignoreChanges?: string[];
  aliases?: { name?: string; parent?: "group" | "" }[];
  parent?: "group";
  dependsOn?: string;
  hooks?: boolean;
  provider?: "second";
}

/** One resource of a program. `of` names the resource whose id or value it needs. */
export interface Spec {
  name: string;
  /** `key` is of another provider: a change deletes it, and what depends on it, before it is replaced. */
  kind: Kind | "key";
  of?: string;
  args: Values;
  opts: Options;
}

export interface Flag {
  flag: string;
  /** The logical name of the resource that it names. */
  of?: string;
}

/** Kills a process at a changing request, before or after it takes effect. */
export interface Kill {
  victim: "the CLI" | "the provider process" | "everything";
  at: number;
  commits: boolean;
}

export type Verb = "up" | "destroy" | "refresh";

/** A reference to an object: `@dev/db1`, the last id of that resource; anything else is an id. */
export type Reference = string;

export type Step =
  | { do: "program"; stack: StackName; specs: Spec[] }
  | { do: Verb; stack: StackName; flags: Flag[]; adopt?: Reference[]; faults?: number; kill?: Kill }
  | { do: "state"; stack: StackName; what: "taint" | "untaint" | "protect" | "unprotect" | "delete"; name: string }
  | { do: "move"; stack: StackName; name: string }
  | { do: "import"; stack: StackName; name: string }
  | { do: "console"; what: "tag" | "untag" | "delete"; object: Reference }
  | { do: "console"; what: "create"; name: string };

/** An entry of a stack's state for an object of this package. */
export interface Entry {
  stack: StackName;
  urn: string;
  name: string;
  kind: Kind;
  id: string;
  isPending: boolean;
  /** What the state stores: whether it is protected, and whether the program has switched that off. */
  isProtected: boolean;
  isOff: boolean;
  isRetained: boolean;
  deletedWith: string | undefined;
}

/** An operation on an object, as the engine announces it. */
export interface Op {
  op: string;
  urn: string;
  id: string | undefined;
}

/** How often the steps of a walk must have drawn each of these. */
export const DRAWN = [
  ...["deleteBeforeReplace", "replaceOnChanges", "retainOnDelete", "deletedWith", "protect", "ignoreChanges"],
  ...["aliases", "parent", "dependsOn", "hooks", "provider", "import", "adoptId", "DBCLOUD_ADOPT", "key"],
  ...["--replace", "--target-replace", "--target", "--target-dependents", "--exclude", "--refresh", "--run-program"].map(
    (flag) => `up ${flag}`,
  ),
  ...["up --continue-on-error", "up --parallel 1", "up --plan"],
  ...["--target", "--target-dependents", "--exclude", "--exclude-protected", "--refresh", "--run-program"].map(
    (flag) => `destroy ${flag}`,
  ),
  ...["destroy --continue-on-error", "destroy --parallel 1", "destroy", "refresh", "refresh --run-program"],
  ...["taint", "untaint", "protect", "unprotect", "delete", "move"].map((what) => `state ${what}`),
  ...["remove", "rename", "rename with alias", "other stack", "tag", "untag", "delete out of band"],
  ...["kill the CLI", "kill the provider process", "kill everything", "faults"],
] as const;
export type Drawn = (typeof DRAWN)[number];
