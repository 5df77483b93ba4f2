// A case of the recordings: a program, perhaps another one, and the command whose calls are recorded.

import type { EngineWorld } from "../../support/engineWorld";

export type Program = () => Promise<unknown>;

/** What happens before the command: a command, with the first program or another, or a change made by somebody else. */
export type Step = string | readonly [command: string, program: Program] | ((world: EngineWorld) => void);

export interface Case {
  title: string;
  command: string;
  /** That of the first `up`, and that of the command if it is another one. */
  programs: readonly [first: Program, next?: Program];
  steps: readonly Step[];
  /** `npm test` plays it too. */
  isDecisive: boolean;
}

/**
 * In commands, `@name` stands for the URN of a resource (its id where an adoption is asked for), and `FAILS` comes before
 * one that must fail.
 */
export function given(title: string, command: string, programs: Case["programs"], more: Partial<Case> = {}): Case {
  return { title, command, programs, steps: [], isDecisive: false, ...more };
}
