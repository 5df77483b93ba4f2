// What a walk consists of: programs of a few resources, and steps. All of it is plain data, so that a sequence can be
// printed, copied and run again.

import type { Values } from "../../../provider/domain/values/value";
import type { Kind } from "../../support/providerProcess";

export const STACKS = ["dev", "other"] as const;
export type StackName = (typeof STACKS)[number];

/** The resource options that the walk draws, by Pulumi's names; `provider` is an explicit one, and `parent` a component. */
export interface Options {
  deleteBeforeReplace?: boolean;
  replaceOnChanges?: string[];
  retainOnDelete?: boolean;
  deletedWith?: string;
  protect?: boolean;
  ignoreChanges?: string[];
  aliases?: { name?: string; parent?: "" }[];
  parent?: "group";
  dependsOn?: string;
  hooks?: boolean;
  provider?: "second" | "third";
  replacementTrigger?: number;
  /** The name of the resource with which it is replaced. */
  replaceWith?: string;
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

/** Kills a process at a changing request, before or after it takes effect. */
export interface Kill {
  victim: "the CLI" | "the provider process" | "everything";
  at: number;
  commits: boolean;
}

export type Verb = "up" | "destroy" | "refresh";

/** A command of the CLI. Flags are as in `--replace @db1` and `--parallel 1`. */
export interface Command {
  do: Verb;
  stack: StackName;
  flags: string[];
  /** For `DBCLOUD_ADOPT`: `@dev/db1` is the last id of that resource. */
  adopt?: string;
  /** The seed of the faults. */
  faults?: number;
  kill?: Kill;
}

export type Step =
  | { do: "program"; stack: StackName; specs: Spec[] }
  | Command
  | { do: "state"; stack: StackName; what: string; name: string }
  | { do: "import"; stack: StackName; name: string }
  /** Somebody in the vendor's console. */
  | { do: "console"; what: "tag" | "untag" | "delete" | "create"; object: string };
