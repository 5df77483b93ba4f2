// A build server has a PostgreSQL, or fails: nothing about databases is skipped there.

import { expect, test } from "vitest";
import { createEmulator } from "../../../emulator/index";
import { needPostgres } from "../../support/postgres/required";

async function outcomeIn(environment: NodeJS.ProcessEnv): Promise<string> {
  const emulator = await createEmulator();
  const outcomes: string[] = [];
  try {
    needPostgres(
      emulator.state(),
      (isSkipped, why) => outcomes.push(isSkipped ? `skipped: ${why}` : "run"),
      environment,
    );
  } catch (error) {
    outcomes.push(`failed: ${String(error)}`);
  }
  await emulator.close();
  return outcomes.join();
}

test("without PostgreSQL: skipped with the reason on a user's machine, failed on a build server", async () => {
  for (const environment of [{}, { CI: "" }, { CI: "false" }]) {
    expect(await outcomeIn(environment)).toMatch(/^skipped: no PostgreSQL: /);
  }
  for (const environment of [{ CI: "true" }, { CI: "1" }]) {
    expect(await outcomeIn(environment)).toMatch(/^failed: Error: no PostgreSQL: .*not skipped/);
  }
});
