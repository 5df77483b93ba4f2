// The cost of check and diff without the engine, of loading the handlers, and of one `new Service` in a program. Each
// figure comes from a separate process, so that nothing is warm that would not be warm in use.

import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type * as pulumiModule from "@pulumi/pulumi";
import type * as packageModule from "pulumi-dbcloud";
import type { HandlerFigures, Handlers } from "./model.ts";

const here = fileURLToPath(import.meta.url);
const run = promisify(execFile);
const require = createRequire(import.meta.url);

type SubjectName = keyof Handlers;
type Values = Record<string, unknown>;
type Figures = Readonly<Record<keyof HandlerFigures, number>>;

/** The part of a provider that is measured. */
interface Measured {
  configure?(request: { config: { get: () => undefined } }): Promise<void>;
  check(olds: Values, news: Values): Promise<{ inputs: Values }>;
  diff(id: string, olds: Values, news: Values): Promise<unknown>;
}

/** CPU time of one check, one diff and one `new Service`, and of loading; the best of several tries. */
export async function measureHandlers(tries = 5): Promise<Handlers> {
  const measured = { floor: await measure("floor"), ours: await measure("ours") };
  for (let attempt = 1; attempt < tries; attempt++) {
    measured.floor = least(measured.floor, await measure("floor"));
    measured.ours = least(measured.ours, await measure("ours"));
  }
  return measured;
}

async function measure(subject: SubjectName): Promise<Figures> {
  const handlers = (await ask(subject, "handlers")) as Omit<HandlerFigures, "newUs">;
  const program = (await ask(subject, "program")) as Pick<HandlerFigures, "newUs">;
  return { ...handlers, ...program };
}

async function ask(subject: SubjectName, what: "handlers" | "program"): Promise<unknown> {
  const { stdout } = await run(process.execPath, [here, subject, what], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    // With this the class keeps Pulumi's full stack traces, so that the floor of `new Service` is Pulumi's own.
    env: { ...process.env, PULUMI_DEBUG_PROMISE_LEAKS: subject === "floor" ? "1" : undefined },
  });
  return JSON.parse(stdout) as unknown;
}

function least(a: Figures, b: Figures): Figures {
  return {
    loadMs: Math.min(a.loadMs, b.loadMs),
    checkUs: Math.min(a.checkUs, b.checkUs),
    diffUs: Math.min(a.diffUs, b.diffUs),
    newUs: Math.min(a.newUs, b.newUs),
  };
}

const ROUNDS = 3_000;
const SERVICES = 1_000;
/** The provider process has loaded these before any handlers. */
const LOADED_ANYWAY = ["@pulumi/pulumi/runtime", "@pulumi/pulumi/proto/provider_grpc_pb", "@grpc/grpc-js"];

async function measureProgram(): Promise<Pick<HandlerFigures, "newUs">> {
  const pulumi = require("@pulumi/pulumi") as typeof pulumiModule;
  const { Service } = require("pulumi-dbcloud") as typeof packageModule;
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as Values }),
    call: () => ({}),
  });
  const { __provider, __urn, ...args } = asked();
  const began = process.cpuUsage();
  const made = Array.from({ length: SERVICES }, (_, index) => new Service(`service${index}`, { ...args }));
  const { user, system } = process.cpuUsage(began);
  // Pulumi: a process that ends before its resources are registered prints one message per resource.
  await new Promise((resolve) => {
    pulumi.all(made.map(({ urn }) => urn)).apply(resolve);
  });
  return { newUs: (user + system) / SERVICES };
}

async function measureHandlersOf(subject: SubjectName): Promise<Omit<HandlerFigures, "newUs">> {
  for (const name of LOADED_ANYWAY) require(name);
  const began = performance.now();
  const entry = subject === "ours" ? "pulumi-dbcloud/provider" : "./floor/handlers.cjs";
  const { provider } = require(entry) as { provider: (kind: "service") => Measured };
  const handlers = provider("service");
  const loadMs = performance.now() - began;
  await handlers.configure?.({ config: { get: () => undefined } });
  const { inputs } = await handlers.check({}, { ...asked() });
  const managed = Object.keys(inputs).filter((key) => !key.startsWith("__"));
  const state = { ...inputs, projectId: "proj000001", status: "READY", __version: 1, __inputs: managed.join(",") };
  const checkUs = await cpuUsOf(() => handlers.check(inputs, { ...asked() }));
  const diffUs = await cpuUsOf(() => handlers.diff("svc1234567", state, { ...inputs }));
  return { loadMs, checkUs, diffUs };
}

function asked(): packageModule.ServiceArgs & { __provider: string; __urn: string } {
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

async function cpuUsOf(work: () => Promise<unknown>): Promise<number> {
  for (let round = 0; round < ROUNDS; round++) await work();
  const began = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) await work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / ROUNDS;
}

if (process.argv[1] === here) {
  const [, , subject, what] = process.argv;
  const figures =
    what === "program" ? await measureProgram() : await measureHandlersOf(subject === "ours" ? "ours" : "floor");
  process.stdout.write(JSON.stringify(figures));
}
