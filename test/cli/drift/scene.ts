// Stacks for the command `drift`: objects that the real handlers made on the emulator, their states as `pulumi stack export`
// prints them, and the command itself in this process, on the clock of the world.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { EmulatorOptions } from "../../../emulator/index";
import { createTransport } from "../../../provider/api/http/transport";
import type { Finding, Report } from "../../../cli/drift/findings";
import type { KindName } from "../../../cli/drift/state";
import { commandLineIn } from "../program";
import { type Kept, openWorld, type World } from "../../support/world";

type Values = Record<string, unknown>;

/** A resource of a state: what the handlers have kept, and what else the engine writes down. */
export type Held = readonly [KindName, Kept, Values?];

export interface Drifted {
  code: number;
  out: string;
  error: string;
  report: Report;
  /** The findings in short: category, resource or object, property or the like. */
  found: string[];
  requests: string[];
}

export interface Scene extends World {
  folder: string;
  /** Writes the state of a stack; answers its file. */
  stack(name: string, held: Readonly<Record<string, Held>>, more?: Values): string;
  /** `drift --json` with these states. */
  drift(files: readonly string[], args?: readonly string[], environment?: Record<string, string>): Promise<Drifted>;
  run(
    args: readonly string[],
    changes?: { environment?: Record<string, string> },
  ): Promise<Omit<Drifted, "report" | "found">>;
}

const SECRET = "4dabf18193072939515e22adb298388d";

/** As the engine encrypts a value. */
export const encrypted = { [SECRET]: "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:AAAA:never-opened" };

export async function openScene(options: EmulatorOptions = {}): Promise<Scene> {
  const world = await openWorld(options);
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-drift-"));
  const { emulator, clock } = world;
  const line = commandLineIn(emulator, folder);
  const run: Scene["run"] = async (args, { environment = {} } = {}) => {
    const before = emulator.requests().length;
    const baseUrl = environment["DBCLOUD_BASE_URL"] ?? emulator.baseUrl;
    const transport = clock.track(createTransport({ baseUrl, connections: 16, environment: {} }));
    const ended = await line(args, { environment, parts: { clock, wallClock: clock, transport } });
    const requests = emulator.requests().slice(before);
    return { ...ended, requests: requests.map(({ method, operation }) => `${method} ${operation ?? "?"}`) };
  };
  return Object.assign(Object.create(world) as World, {
    folder,
    run,
    stack: (name: string, held: Readonly<Record<string, Held>>, more: Values = {}) => {
      const file = path.join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(exported(name, held, more)));
      return file;
    },
    async drift(files: readonly string[], args: readonly string[] = [], environment: Record<string, string> = {}) {
      const states = files.flatMap((file) => ["--state", file]);
      const ended = await run(["drift", "--json", ...states, ...args], { environment });
      const report = (ended.out === "" ? { findings: [] } : JSON.parse(ended.out)) as Report;
      return { ...ended, report, found: report.findings.map(inShort) };
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
      await world.close();
    },
  });
}

/** What `pulumi stack export` prints; secrets are encrypted. */
export function exported(name: string, held: Readonly<Record<string, Held>>, more: Values = {}): Values {
  const root = { urn: `urn:pulumi:${name}::shop::pulumi:pulumi:Stack::shop-${name}`, type: "pulumi:pulumi:Stack" };
  const resources = Object.entries(held).map(([logical, [kind, { id, inputs, outputs, failed }, others]]) => {
    const type = `pulumi-nodejs:dynamic/dbcloud:${kind}`;
    const urn = `urn:pulumi:${name}::shop::${type}::${logical}`;
    const engine = { urn, custom: true, type, id, ...(failed === undefined ? {} : { initErrors: [failed] }) };
    const propertyDependencies = Object.fromEntries(["__urn", ...Object.keys(inputs)].map((key) => [key, []]));
    const kept = { inputs: sealed(inputs), outputs: sealed({ __urn: urn, ...outputs }), propertyDependencies };
    return { ...engine, ...kept, ...others };
  });
  return { version: 3, deployment: { resources: [root, ...resources], ...more } };
}

function sealed(values: Values): Values {
  const secrets = ["password", "initialPassword"];
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, secrets.includes(key) ? encrypted : value]),
  );
}

export function inShort(finding: Finding): string {
  switch (finding.category) {
    case "unknown":
      return `unknown ${finding.about.map(({ name }) => name).join(",")}`.trim();
    case "shared":
      return `shared ${finding.id}`;
    case "unmanaged":
      return `unmanaged ${finding.type} ${finding.objectName ?? finding.id}`;
    case "changed":
    case "moved":
      return `${finding.category} ${finding.name}.${finding.property}`;
    case "unprotected":
      return `unprotected ${finding.name}: ${finding.lost}`;
    case "attention":
      return `attention ${finding.name}: ${finding.status}`;
    case "owed":
      return `owed ${finding.name}: ${finding.steps.join(", ")}`;
    default:
      return `missing ${finding.name}`;
  }
}
