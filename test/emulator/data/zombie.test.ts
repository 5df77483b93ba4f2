// The lock of an emulator that has ended while nobody reaps it, as in a container without an init.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createEmulator } from "../../../emulator/index";
import { livingOwner, ownerText } from "../../../emulator/ownerProcess";
import { temporaryFolder } from "../../support/folder";
import { startUnreaped } from "../../support/zombie";

test.runIf(process.platform === "linux")("the lock of a zombie does not count", async () => {
  const { pid, end } = await startUnreaped();
  const lock = ownerText(pid);
  expect([livingOwner(lock), lock]).toEqual([pid, expect.stringMatching(/^\d+ \d+$/)]);
  await end();
  expect([livingOwner(lock), ownerText(pid)]).toEqual([undefined, `${pid} ended`]);
  const data = temporaryFolder();
  writeFileSync(path.join(data, "lock"), lock);
  await using emulator = await createEmulator({ data });
  expect(emulator.state().services).toEqual([]);
});
