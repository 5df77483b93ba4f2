// An emulator that is killed leaves no server behind, whatever it was doing: its watchdog ends them, and where the
// watchdog was killed too, the next emulator does.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { httpClientFor } from "../emulator/support/httpClient";
import { postgres } from "../emulator/postgres/support";

interface Started {
  child: ChildProcess;
  baseUrl: string;
  apiKey: string;
  projectId: string;
  /** The folder of its servers. */
  root: string;
}

const program = `
  const { createEmulator } = require(${JSON.stringify(path.resolve("dist/emulator/index.js"))});
  void createEmulator({ postgres: ${JSON.stringify(postgres)} }).then(({ baseUrl, apiKey, projectId, caFile }) => {
    process.stdout.write(JSON.stringify({ baseUrl, apiKey, projectId, root: require("node:path").dirname(caFile) }) + "\\n");
  });`;

async function start(): Promise<Started> {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const line = await new Promise<string>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
  });
  return { child, ...(JSON.parse(line) as Omit<Started, "child">) };
}

/** Processes that work below the folder, or were started for it. */
function processesOf(root: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return text.includes(root) || readlinkSync(`/proc/${pid}/cwd`).startsWith(root);
      } catch {
        return false; // It has ended.
      }
    })
    .map(Number);
}

function postCreates({ baseUrl, apiKey, projectId }: Started, count: number): Promise<unknown>[] {
  const { call } = httpClientFor({ baseUrl, apiKey });
  const names = Array.from({ length: count }, (_, index) => `service ${index}`);
  return names.map((name) => call("POST", `/projects/${projectId}/services`, { name }).catch(() => undefined));
}

const limit = { interval: 10, timeout: 30_000 };

test.runIf(process.platform === "linux")(
  "killed at 20 moments of 20 creates: no server, watchdog or folder is left",
  async () => {
    for (let moment = 0; moment < 20; moment += 1) {
      const started = await start();
      const answers = postCreates(started, 20);
      await wait(moment * 25);
      started.child.kill("SIGKILL");
      await Promise.all(answers);
      await expect.poll(() => processesOf(started.root), limit).toEqual([]);
      expect(existsSync(started.root)).toBe(false);
    }
  },
);

test.runIf(process.platform === "linux")("what a killed watchdog leaves is ended by the next start", async () => {
  const first = await start();
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

  const second = await start();
  await expect.poll(() => processesOf(first.root), limit).toEqual([]);
  expect(existsSync(first.root)).toBe(false);
  await Promise.all(postCreates(second, 1));
  const { askList } = httpClientFor(second);
  const statuses = async (): Promise<unknown[]> =>
    (await askList(`/projects/${second.projectId}/services`)).map(({ status }) => status);
  await expect.poll(statuses, limit).toEqual(["READY"]);
});
