// Tests that need a real PostgreSQL.

import type { Emulator } from "../../../emulator/index";
import { type Skip, skipOrFail } from "../required";

export function needPostgres({ postgres }: ReturnType<Emulator["state"]>, skip: Skip): void {
  if (postgres.kind === "processes") return;
  skipOrFail(`no PostgreSQL: ${postgres.missing ?? "the emulator was asked for none"}`, skip);
}
