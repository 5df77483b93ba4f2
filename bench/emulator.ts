// The cost of the emulator compared with a bare HTTP server: the rate of answers with a list of 1,000 services, and the
// memory that 10,000 refused requests of 60 KB leave. `node bench/emulator.ts`, after a build. Every server is a
// separate process; their rates are measured alternately, so that other load on the machine slows both alike.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createEmulator } from "pulumi-dbcloud/emulator";
import { megabytes } from "./format.ts";

const SERVICES = 1_000;
const ROUNDS = 7;
const ROUND_MS = 1_000;
const CONNECTIONS = 4;
const REFUSALS = 10_000;

interface Memory {
  process: number;
  inUse: number;
}

interface Side {
  child: ChildProcess;
  target: Target;
}

interface Target {
  url: string;
  apiKey: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

interface Answer {
  status: number | undefined;
  /** Only if `isKept`: joining the pieces would cost more than the server does. */
  chunks: Buffer[];
}

function send(target: Target, method: string, body = "", isKept = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${target.apiKey}`, "content-length": Buffer.byteLength(body) };
    const json = body === "" ? {} : { "content-type": "application/json" };
    const sent = request(target.url, { agent, method, headers: { ...headers, ...json } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => isKept && chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode, chunks }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Runs `work` on every connection until `isOver` returns true. */
async function inParallel(isOver: () => boolean, work: () => Promise<unknown>): Promise<void> {
  const lane = async (): Promise<void> => {
    while (!isOver()) await work();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

async function readLists(target: Target): Promise<{ count: number; ms: number }> {
  const startedAt = performance.now();
  let count = 0;
  await inParallel(
    () => performance.now() - startedAt > ROUND_MS,
    async () => {
      await send(target, "GET");
      count += 1;
    },
  );
  return { count, ms: performance.now() - startedAt };
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

function start(role: string): ChildProcess {
  return fork(fileURLToPath(import.meta.url), [role], { execArgv: ["--expose-gc"] });
}

async function ask<T>(child: ChildProcess, message: unknown): Promise<T> {
  const answered = once(child, "message");
  child.send(message as object);
  const [answer] = (await answered) as [T];
  return answer;
}

/** The server's own CPU time for one list: unlike its rate, other load on the machine does not change it. */
async function measure(child: ChildProcess, target: Target): Promise<{ perSecond: number; cpuMs: number }> {
  const before = await ask<number>(child, "cpu");
  const { count, ms } = await readLists(target);
  const after = await ask<number>(child, "cpu");
  return { perSecond: (count * 1_000) / ms, cpuMs: (after - before) / count };
}

async function compare(title: string, emulator: Side, bare: Side): Promise<void> {
  const sides = [emulator, bare].map(({ child, target }) => ({
    child,
    target,
    rates: [] as number[],
    costs: [] as number[],
  }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { child, target, rates, costs } of sides) {
      const { perSecond, cpuMs } = await measure(child, target);
      rates.push(perSecond);
      costs.push(cpuMs);
    }
  }
  const [own = NaN, other = NaN] = sides.map(({ rates }) => median(rates));
  const [ownMs = NaN, otherMs = NaN] = sides.map(({ costs }) => median(costs));
  say(`${title}: ${own.toFixed(0)}/s, bare ${other.toFixed(0)}/s, ratio ${(own / other).toFixed(2)}`);
  say(`  processor time per list ${ownMs.toFixed(2)} ms, bare ${otherMs.toFixed(2)} ms`);
}

async function main(): Promise<void> {
  const [emulatorProcess, bareProcess] = [start("emulator"), start("bare")];
  const emulator = await ask<Target>(emulatorProcess, "start");
  const bytes = Buffer.concat((await send(emulator, "GET", "", true)).chunks);
  const bare = await ask<Target>(bareProcess, bytes.toString());
  say(`a list of ${SERVICES} services, ${bytes.length} bytes, medians of ${ROUNDS} rounds`);
  const sides = [
    { child: emulatorProcess, target: emulator },
    { child: bareProcess, target: bare },
  ] as const;
  await compare("at rest", ...sides);
  await ask(emulatorProcess, "resize one");
  await compare("while one is resized", ...sides);

  const before = await ask<Memory>(emulatorProcess, "memory");
  const refused = JSON.stringify({ name: "n".repeat(60_000) });
  let left = REFUSALS;
  await inParallel(
    () => left <= 0,
    async () => {
      left -= 1;
      const { status } = await send(emulator, "POST", refused);
      if (status !== 413) throw new Error(`answered ${status} instead of 413`);
    },
  );
  const after = await ask<Memory>(emulatorProcess, "memory");
  say(`${REFUSALS} refused requests of ${refused.length} bytes:`);
  say(
    `  the process takes ${megabytes(after.process - before.process)} more, of which in use ${megabytes(after.inUse - before.inUse)}`,
  );
  agent.destroy();
  emulatorProcess.kill();
  bareProcess.kill();
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function serveEmulator(): Promise<void> {
  const emulator = await createEmulator({ seed: 1, timings: { resize: Infinity } });
  for (let index = 0; index < SERVICES; index += 1) emulator.mutate.createService({ name: `service-${index}` });
  const target = { url: `${emulator.baseUrl}/projects/${emulator.projectId}/services`, apiKey: emulator.apiKey };
  const answers: Record<string, () => unknown> = {
    start: () => target,
    cpu: cpuTimeMs,
    memory() {
      globalThis.gc?.();
      const { rss, heapUsed, external } = process.memoryUsage();
      return { process: rss, inUse: heapUsed + external };
    },
    async "resize one"() {
      const id = emulator.state().services[0]?.id ?? "";
      const url = `${target.url}/${id}/resize`;
      await send({ ...target, url }, "POST", JSON.stringify({ cpu_millis: "1000", memory_gbs: "4" }));
      return "done";
    },
  };
  const answer = async (message: string): Promise<void> => void process.send?.(await answers[message]?.());
  process.on("message", (message: string) => void answer(message));
}

function serveBare(): void {
  process.once("message", (text: string) => {
    const bytes = Buffer.from(text);
    const headers = { "Content-Type": "application/json", "Content-Length": bytes.length };
    const server = createServer((_, response) => response.writeHead(200, headers).end(bytes));
    server.listen(0, "127.0.0.1", () => {
      process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, apiKey: "" });
      process.on("message", () => process.send?.(cpuTimeMs()));
    });
  });
}

const role = process.argv[2];
if (role === "emulator") await serveEmulator();
else if (role === "bare") serveBare();
else await main();
