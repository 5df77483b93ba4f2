// A case of the recordings: a program, perhaps another one, and the command whose calls are recorded.

import type { EngineWorld } from "../../support/engineWorld";

export type Program = () => Promise<unknown>;

/** What happens before the command: a command, with the first program or another, or a change made by somebody else. */
export type Step = string | readonly [command: string, program: Program] | ((world: EngineWorld) => void);

export interface Case {
  /** The situation and the command. */
  title: string;
  command: string;
  /** That of the first `up`, and that of the command if it is another one. */
  programs: readonly [first: Program, next?: Program];
  steps: readonly Step[];
  /** `npm test` plays it too. */
  isDecisive: boolean;
}

/**
 * One case for each of the commands. In commands, `@name` stands for the URN of a resource (for an adoption, for its id, or
 * for that of the service which the cloud calls so), `*` comes before a decisive one, and `FAILS` before one of `steps` that must fail.
 */
export function given(
  situation: string,
  programs: Case["programs"],
  commands: string,
  { steps = [] }: Partial<Pick<Case, "steps">> = {},
): Case[] {
  return commands.split(/,\s+/).map((text) => {
    const command = text.replace("*", "");
    return { title: `${situation}: ${shown(command)}`, command, programs, steps, isDecisive: command !== text };
  });
}

/** The command as a reader sees it. */
export function shown(command: string): string {
  return command.replaceAll("@", "");
}
