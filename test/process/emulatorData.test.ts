// `pulumi-dbcloud emulator --data`, killed with -9 at random moments: every answered write is there afterwards.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../support/cliProcess";
import { createRandom } from "../support/random";
import { repeats } from "../support/repeats";

const main = path.resolve(__dirname, "../../dist/cli/main.js");
const lives = repeats(6, 20);
const writesPerLife = 10;

interface Life {
  process: ChildProcess;
  services: string;
  headers: Record<string, string>;
}

async function start(data: string): Promise<Life> {
  const args = [main, "emulator", "--port", "0", "--data", data, "--quick", "--quiet", "--postgres", "off"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
  await expect.poll(() => text, { timeout: 60_000 }).toContain("Ctrl-C");
  const value = (name: string): string => new RegExp(`export ${name}=(\\S+)`).exec(text)?.[1] ?? "";
  return {
    process: child,
    services: `${value("DBCLOUD_BASE_URL")}/projects/${value("DBCLOUD_PROJECT_ID")}/services`,
    headers: { authorization: `Bearer ${value("DBCLOUD_API_KEY")}`, "content-type": "application/json" },
  };
}

async function kill({ process: child }: Life): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Creates one service after the other; what was answered is noted at once. */
async function write({ services, headers }: Life, name: string, answered: Map<string, string>): Promise<void> {
  const response = await fetch(services, { method: "POST", headers, body: JSON.stringify({ name }) });
  const { service_id: id } = (await response.json()) as { service_id: string };
  expect(response.status).toBe(202);
  answered.set(name, id);
}

test(`${lives * writesPerLife} writes, killed at ${lives} random moments: whatever was answered is there`, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-kill-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const data = path.join(folder, "world");
  const random = createRandom(20);
  const answered = new Map<string, string>();
  const asked = new Set<string>();
  for (let life = 0; life < lives; life += 1) {
    const running = await start(data);
    const names = Array.from({ length: writesPerLife }, (_, index) => `s-${life}-${index}`);
    const last = random.below(writesPerLife);
    const before = answered.size;
    // At least `last` are answered; the kill meets the others wherever they are just then.
    const writes = names.map((name) => {
      asked.add(name);
      return write(running, name, answered).catch(() => undefined);
    });
    await until(() => answered.size >= before + last);
    await kill(running);
    await Promise.all(writes);
  }
  const { services, headers, process: child } = await start(data);
  const list = (await (await fetch(services, { headers })).json()) as { service_id: string; name: string }[];
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  const found = new Map(list.map(({ name, service_id: id }) => [name, id]));
  expect([...answered].filter(([name, id]) => found.get(name) !== id)).toEqual([]);
  // No write is there twice, and none that nobody asked for.
  expect(found.size).toBe(list.length);
  expect([...found.keys()].filter((name) => !asked.has(name))).toEqual([]);
  expect(asked.size).toBe(lives * writesPerLife);
  // The moments were not all before or all after the writes.
  expect(answered.size).toBeGreaterThan(lives);
  expect(answered.size).toBeLessThan(asked.size);
});

const apart = ["--pid", "--fork", "--mount-proc"];
const canBeApart = process.platform === "linux" && spawnSync("unshare", [...apart, "true"]).status === 0;

test.runIf(canBeApart)(
  "an emulator that sees no processes of others, as in a container, leaves them their folder",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-apart-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { process: child } = await start(folder);
    const other = spawnSync("unshare", [...apart, process.execPath, main, "emulator", "--port", "0", "--data", folder]);
    expect(other.stderr.toString()).toMatch(/in use.*another container/);
    expect(other.status).toBe(1);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  },
);
