// What a walk consists of: steps, with the programs of its stacks among them. All of it is plain data, so that a sequence can be
// printed, copied and run again.

import type { Declared } from "../../invariants/operator/declared";

export const STACKS = ["dev", "other"] as const;
export type StackName = (typeof STACKS)[number];

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
  /** For `DBCLOUD_ADOPT`: `@dev/db1` gives that resource the last id that it had. */
  adopt?: string;
  /** The seed of the faults. */
  faults?: number;
  kill?: Kill;
}

export type Step =
  | { do: "program"; stack: StackName; declared: Declared[] }
  | Command
  | { do: "state"; stack: StackName; what: string; logical: string }
  | { do: "import"; stack: StackName; logical: string }
  /** Somebody in the vendor's console. */
  | { do: "console"; what: "tag" | "untag" | "delete" | "create" | "fail" | "heal"; object: string };
