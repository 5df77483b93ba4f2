// Creates per second of an emulator that keeps its objects in a folder, with 1,000 services there and 50 clients in
// another process; beside them, of one that keeps nothing, and plain synced appends to the same disk. Run it after a build:
// `node scripts/run.mjs node bench/kept.ts`.

import { execFile } from "node:child_process";
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createEmulator } from "pulumi-dbcloud/emulator";

const [services, clients, seconds] = [1_000, 50, 5];

/** How often it happens per second, with so many at a time. */
async function rateOf(work: () => void | Promise<void>, atOnce = 1): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  const one = async (): Promise<void> => {
    for (; performance.now() < end; count += 1) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return Math.round(count / seconds);
}

async function createsPerSecond(data?: string): Promise<string> {
  const timings = { queued: 0, create: 0, firstBackup: 0 };
  const emulator = await createEmulator({ timings, ...(data !== undefined && { data }) });
  const url = `${emulator.baseUrl}/projects/${emulator.projectId}/services`;
  const args = [fileURLToPath(import.meta.url), url, emulator.apiKey];
  const run = async (count: number): Promise<string> =>
    (await promisify(execFile)(process.execPath, [...args, String(count)])).stdout;
  await run(services);
  const rate = await run(0);
  await emulator.close();
  return rate;
}

/** The other process: makes so many services, or as many as it can. */
async function create(url: string, key: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", agent, headers }, (answer) => {
        if (answer.statusCode !== 202) reject(new Error(`a create answers ${answer.statusCode}`));
        answer.resume().once("end", resolve);
      });
      sent.once("error", reject).end('{"name":"orders"}');
    });
  if (count > 0) await Promise.all(Array.from({ length: count }, one));
  else process.stdout.write(String(await rateOf(one, clients)));
  agent.destroy();
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-kept-"));
  const log = openSync(path.join(folder, "log"), "a");
  const appends = await rateOf(() => {
    writeSync(log, "x".repeat(2_000));
    fsyncSync(log);
  });
  closeSync(log);
  const kept = await createsPerSecond(path.join(folder, "world"));
  const inMemory = await createsPerSecond();
  process.stdout.write(`synced appends ${appends}/s, creates ${kept}/s, without a folder ${inMemory}/s\n`);
  rmSync(folder, { recursive: true });
}

const [, , url, key = "", count] = process.argv;
await (url === undefined ? measure() : create(url, key, Number(count)));
