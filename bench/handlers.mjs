// What check and diff cost without the engine around them, what it costs to load the handlers at all, and what a program
// pays for one `new Service`. Each figure comes from a process of its own, so that nothing is warm that would not be.

import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = fileURLToPath(import.meta.url);
const run = promisify(execFile);

/**
 * CPU time of one check, one diff and one `new Service`, in microseconds, and of loading, in milliseconds; the best of
 * several tries.
 */
export async function measureHandlers(tries = 5) {
  const best = {};
  for (let attempt = 0; attempt < tries; attempt++) {
    for (const subject of ["floor", "ours"]) {
      const figures = { ...(await ask(subject, "handlers")), ...(await ask(subject, "program")) };
      best[subject] = least(best[subject] ?? figures, figures);
    }
  }
  return best;
}

async function ask(subject, what) {
  const { stdout } = await run(process.execPath, [here, subject, what], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    // With this the class leaves Pulumi its full stack traces, so that the floor of `new Service` is Pulumi's own.
    env: { ...process.env, PULUMI_DEBUG_PROMISE_LEAKS: subject === "floor" ? "1" : undefined },
  });
  return JSON.parse(stdout);
}

function least(a, b) {
  return Object.fromEntries(Object.entries(a).map(([key, value]) => [key, Math.min(value, b[key])]));
}

const ROUNDS = 3_000;
const SERVICES = 1_000;
/** The provider process has these before it loads anybody's handlers. */
const LOADED_ANYWAY = ["@pulumi/pulumi/runtime", "@pulumi/pulumi/proto/provider_grpc_pb", "@grpc/grpc-js"];

async function measureProgram() {
  const require = createRequire(import.meta.url);
  const pulumi = require("@pulumi/pulumi");
  const { Service } = require("pulumi-dbcloud");
  const mocks = { newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: () => ({}) };
  await pulumi.runtime.setMocks(mocks);
  const began = process.cpuUsage();
  const made = Array.from({ length: SERVICES }, (_, index) => new Service(`service${index}`, asked()));
  const { user, system } = process.cpuUsage(began);
  // Pulumi: whoever ends before they are registered is told so, a thousand times.
  await new Promise((resolve) => pulumi.all(made.map(({ urn }) => urn)).apply(resolve));
  return { newUs: (user + system) / SERVICES };
}

async function measureHandlersOf(subject) {
  const require = createRequire(import.meta.url);
  for (const name of LOADED_ANYWAY) require(name);
  const began = performance.now();
  const entry = subject === "ours" ? require("pulumi-dbcloud/provider") : require("./floor/handlers.cjs");
  const handlers = entry.provider("service");
  const loadMs = performance.now() - began;
  await handlers.configure?.({ config: { get: () => undefined } });
  const { inputs } = await handlers.check({}, asked());
  const managed = Object.keys(inputs).filter((key) => !key.startsWith("__"));
  const state = { ...inputs, projectId: "proj000001", status: "READY", __version: 1, __inputs: managed.join(",") };
  const checkUs = await cpuUsOf(() => handlers.check(inputs, asked()));
  const diffUs = await cpuUsOf(() => handlers.diff("svc1234567", state, { ...inputs }));
  return { loadMs, checkUs, diffUs };
}

function asked() {
  return {
    name: "orders",
    regionCode: "us-east-1",
    addons: ["time-series"],
    cpuMillis: 1000,
    memoryGbs: 4,
    environment: "DEV",
    __provider: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("service");',
    __urn: "urn:pulumi:bench::bench::pulumi-nodejs:dynamic/dbcloud:Service::orders",
  };
}

async function cpuUsOf(work) {
  for (let round = 0; round < ROUNDS; round++) await work();
  const began = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) await work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / ROUNDS;
}

if (process.argv[1] === here) {
  const [, , subject, what] = process.argv;
  const figures = what === "program" ? await measureProgram() : await measureHandlersOf(subject);
  process.stdout.write(JSON.stringify(figures));
}
