// Tests that need something that a user's machine may lack: skipped with a message there, failed on a build server.

import type { Emulator } from "../../emulator/index";

/** A build server installs all there is before the tests: if it were missing there, skipped tests would go unnoticed. */
export const mustHaveAll = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  !["", undefined, "0", "false"].includes(environment["CI"]?.toLowerCase());

export type Skip = (condition: boolean, note: string) => void;

export function skipOrFail(why: string, skip: Skip, environment?: NodeJS.ProcessEnv): void {
  if (mustHaveAll(environment)) throw new Error(`${why}; with CI set, these tests are not skipped`);
  skip(true, why);
}

/** For a real PostgreSQL. */
export function needPostgres({ postgres }: ReturnType<Emulator["state"]>, skip: Skip): void {
  if (postgres.kind === "processes") return;
  skipOrFail(`no PostgreSQL: ${postgres.missing ?? "the emulator was asked for none"}`, skip);
}
