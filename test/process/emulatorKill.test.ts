// An emulator that is killed leaves no server behind, whatever it was doing: its watchdog ends them, and where the
// watchdog was killed too, the next emulator does.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { httpClientFor } from "../emulator/support/httpClient";
import { processesOf, serversOf, startEmulator, type Started } from "./emulatorProcess";

function postCreates({ baseUrl, apiKey, projectId }: Started, count: number): Promise<unknown>[] {
  const { call } = httpClientFor({ baseUrl, apiKey });
  const names = Array.from({ length: count }, (_, index) => `service ${index}`);
  return names.map((name) => call("POST", `/projects/${projectId}/services`, { name }).catch(() => undefined));
}

const limit = { interval: 10, timeout: 30_000 };

test.runIf(process.platform === "linux")(
  "killed at 20 moments of 20 creates: no server, watchdog or folder is left",
  async ({ annotate }) => {
    const endedAfterMs: number[] = [];
    for (let moment = 0; moment < 20; moment += 1) {
      const started = await startEmulator();
      const answers = postCreates(started, 20);
      await wait(moment * 25);
      started.child.kill("SIGKILL");
      const killedAt = performance.now();
      await expect.poll(() => serversOf(started.root), limit).toEqual([]);
      endedAfterMs.push(Math.round(performance.now() - killedAt));
      await Promise.all(answers);
      await expect.poll(() => processesOf(started.root), limit).toEqual([]);
      expect(existsSync(started.root)).toBe(false);
    }
    await annotate(`milliseconds from the kill to the end of the last server: ${endedAfterMs.join(", ")}`);
  },
);

test.runIf(process.platform === "linux")("what a killed watchdog leaves is ended by the next start", async () => {
  const first = await startEmulator();
  await Promise.all(postCreates(first, 1));
  const servers = (): string[] => readdirSync(path.join(first.root, "servers"), { recursive: true }).map(String);
  await expect.poll(() => servers().some((name) => name.endsWith("postmaster.pid")), limit).toBe(true);
  const watchdog = processesOf(first.root).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("watchdog"),
  );
  process.kill(watchdog ?? 0, "SIGKILL");
  first.child.kill("SIGKILL");
  await new Promise((resolve) => first.child.once("close", resolve));
  expect(processesOf(first.root).length).toBeGreaterThan(0);

  const second = await startEmulator();
  await expect.poll(() => processesOf(first.root), limit).toEqual([]);
  expect(existsSync(first.root)).toBe(false);
  await Promise.all(postCreates(second, 1));
  const { askList } = httpClientFor(second);
  const statuses = async (): Promise<unknown[]> =>
    (await askList(`/projects/${second.projectId}/services`)).map(({ status }) => status);
  await expect.poll(statuses, limit).toEqual(["READY"]);
});
