// Creates per second of an emulator that keeps its objects in a folder, with 1,000 services there and 50 clients; beside
// them, of one that keeps nothing, and plain synced appends to the same disk. Run it after a build: `node bench/kept.ts`.

import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createEmulator } from "pulumi-dbcloud/emulator";

const [services, clients, seconds] = [1_000, 50, 5];
const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-kept-"));

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

async function createsPerSecond(data?: string): Promise<number> {
  const timings = { queued: 0, create: 0, firstBackup: 0 };
  const emulator = await createEmulator({ timings, ...(data !== undefined && { data }) });
  for (let index = 0; index < services; index += 1) emulator.mutate.createService({ name: `service-${index}` });
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const url = `${emulator.baseUrl}/projects/${emulator.projectId}/services`;
  const headers = { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" };
  const create = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", agent, headers }, (answer) => {
        if (answer.statusCode !== 202) reject(new Error(`a create answers ${answer.statusCode}`));
        answer.resume().once("end", resolve);
      });
      sent.once("error", reject).end('{"name":"orders"}');
    });
  const rate = await rateOf(create, clients);
  agent.destroy();
  await emulator.close();
  return rate;
}

const log = openSync(path.join(folder, "log"), "a");
const append = (): void => {
  writeSync(log, "x".repeat(2_000));
  fsyncSync(log);
};
console.log(`synced appends per second: ${await rateOf(append)}`);
closeSync(log);
console.log(`creates per second, kept: ${await createsPerSecond(path.join(folder, "world"))}`);
console.log(`creates per second, in memory: ${await createsPerSecond()}`);
rmSync(folder, { recursive: true });
