// Tests that need a real PostgreSQL: skipped with a message if the machine has none, failed if it must have one.

import type { Emulator } from "../../../emulator/index";

/** A build server installs PostgreSQL before the tests: if it were missing there, skipped tests would go unnoticed. */
export const mustHavePostgres = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  !["", undefined, "0", "false"].includes(environment["CI"]?.toLowerCase());

export function needPostgres(
  { postgres }: ReturnType<Emulator["state"]>,
  skip: (condition: boolean, note: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  if (postgres.kind === "processes") return;
  const why = `no PostgreSQL: ${postgres.missing ?? "the emulator was asked for none"}`;
  if (mustHavePostgres(environment)) throw new Error(`${why}; with CI set, these tests are not skipped`);
  skip(true, why);
}
