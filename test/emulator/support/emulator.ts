// A fresh emulator per test with a clock that only the test moves, closed when the test ends.

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { createEmulator, defaultTimings, type Emulator, type EmulatorOptions } from "../../../emulator/index";
import { temporaryFolder } from "../../support/folder";
import { httpClientFor, manualClock, pathsOf, type HttpClient, type Json, type ManualClock } from "./httpClient";

export interface TestEmulator extends HttpClient {
  emulator: Emulator;
  clock: ManualClock;
  paths: ReturnType<typeof pathsOf>;
}

/** Every change takes 100 ms of the test's clock, a new service 10 ms more as QUEUED. */
const hundredMs = {
  ...Object.fromEntries(Object.keys(defaultTimings).map((step) => [step, 100])),
  queued: 10,
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

/** The name of a folder that does not exist yet, in one that goes with the test and that the servers' account can enter. */
export function newFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  return join(folder, "world");
}

/** What a kept world has stored, as text. A file that is read in any other way loses its lock. */
export function storedText(data: string): string {
  const url = pathToFileURL(join(data, "world.db"));
  url.searchParams.set("immutable", "1");
  const file = new DatabaseSync(url, { readOnly: true });
  const rows = file.prepare("SELECT key, text FROM rows ORDER BY rowid").all();
  file.close();
  return JSON.stringify(rows);
}

/** A world that is kept in a folder. */
export async function openKept(data: string, options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ data, ...options });
  onTestFinished(() => emulator.close().catch(() => undefined));
  return { emulator, paths: pathsOf(emulator), ...httpClientFor(emulator) };
}

/** A world with one ready service, and a caller of its admin API. */
export async function openAdmin() {
  const world = await openWithService();
  const { adminUrl, adminKey } = world.emulator;
  return { ...world, admin: httpClientFor({ baseUrl: adminUrl, apiKey: adminKey }) };
}
