// A fresh emulator per test with a clock that only the test moves, closed when the test ends.

import { expect, onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../../emulator/index";
import { httpClientFor, manualClock, pathsOf, type HttpClient, type Json, type ManualClock } from "./httpClient";

export interface TestEmulator extends HttpClient {
  emulator: Emulator;
  clock: ManualClock;
  paths: ReturnType<typeof pathsOf>;
}

/** Every change takes 100 ms of the test's clock, a new service 10 ms more as QUEUED. */
const hundredMs = {
  queued: 10,
  create: 100,
  fork: 100,
  resize: 100,
  ha: 100,
  attach: 100,
  detach: 100,
  pooler: 100,
  environment: 100,
  stop: 100,
  start: 100,
  delete: 100,
  replicaCreate: 100,
  replicaResize: 100,
  replicaDelete: 100,
  vpcCreate: 100,
  vpcDelete: 100,
  peeringProvision: 100,
  peeringActive: 100,
  peeringDelete: 100,
  firstBackup: 0,
};

export async function openEmulator(options: EmulatorOptions = {}): Promise<TestEmulator> {
  const clock = manualClock();
  const emulator = await createEmulator({ now: clock.now, seed: 7, timings: hundredMs, ...options });
  onTestFinished(() => emulator.close());
  return { emulator, clock, paths: pathsOf(emulator), ...httpClientFor(emulator) };
}

export const someService = {
  name: "orders",
  cpu_millis: "500",
  memory_gbs: "2",
  addons: ["time-series"],
  region_code: "us-east-1",
};

/** Matchers, typed as what they stand for. */
export const anyText: unknown = expect.any(String);
export const anyNumber: unknown = expect.any(Number);

/** A world with one ready service. */
export async function openWithService(options: EmulatorOptions = {}, fields: Json = {}) {
  const world = await openEmulator(options);
  const made = await world.ask(202, "POST", world.paths.services, { ...someService, ...fields });
  const id = String(made["service_id"]);
  world.emulator.settle();
  const path = world.paths.service(id);
  return { ...world, id, path, made, get: () => world.ask(200, "GET", path) };
}
