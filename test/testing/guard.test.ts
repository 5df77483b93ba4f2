import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../support/folder";
import { endTree, watchFolder } from "../../testing/guard";

test("a machine without `ps` ends the CLI too", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1_000)"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  vi.stubEnv("PATH", temporaryFolder());
  onTestFinished(watchFolder(temporaryFolder()));
  endTree(child.pid ?? 0);
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
});
