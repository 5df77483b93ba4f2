// Stacks for the command `drift`: objects that the real handlers made on the emulator, their states as `pulumi stack export`
// prints them, and the command itself in this process, on the clock of the world.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import type { EmulatorOptions } from "../../../emulator/index";
import { SECRET_SIGNATURE } from "../../../provider/domain/values/secret";
import { createTransport } from "../../../provider/api/http/transport";
import type { Finding, Report } from "../../../cli/drift/findings";
import type { ClassName } from "../../../cli/drift/state";
import { commandLineIn, type Ended } from "../program";
import { TWO_PROJECTS } from "../../support/client";
import { temporaryFolder } from "../../support/folder";
import { type Kept, openWorld } from "../../support/world";

type Values = Record<string, unknown>;

/** A resource of a state: what the handlers have kept, and what else the engine writes down of it. */
export interface Held extends Kept {
  kind: ClassName;
  entry?: Values;
}

export type Stack = Readonly<Record<string, Held>>;

export const sizes = { cpuMillis: 500, memoryGbs: 2 };

/** Two projects, and keys that may do less than all. */
const account: EmulatorOptions = {
  projects: TWO_PROJECTS,
  callers: [
    { token: "key-that-may-only-read", kind: "pat", readOnly: true },
    { token: "key-of-another-project", kind: "pat", projectId: "proj000002" },
  ],
};

export let scene: Awaited<ReturnType<typeof openScene>>;

/** Opens a scene before each test. */
export function useScene(prepare: () => Promise<unknown> = () => Promise.resolve()): void {
  beforeEach(async () => {
    await open();
    await prepare();
  });
}

/** Opens a scene, which closes with the test. */
export async function open(options: EmulatorOptions = {}): Promise<void> {
  scene = await openScene({ ...account, ...options });
}

async function openScene(options: EmulatorOptions) {
  const folder = temporaryFolder();
  const world = await openWorld(options);
  onTestFinished(() => world.close());
  const { emulator, clock } = world;
  const line = commandLineIn(emulator, folder);
  /** On the clock of the world. */
  const clientParts = (baseUrl = emulator.baseUrl) => {
    const transport = clock.track(createTransport({ baseUrl, connections: 16, environment: {} }));
    return { clock, wallClock: clock, transport };
  };
  const run = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const before = emulator.requests().length;
    const ended: Ended = await line(args, { environment, parts: clientParts(environment["DBCLOUD_BASE_URL"]) });
    const requests = emulator.requests().slice(before);
    return { ...ended, requests: requests.map(({ method, operation }) => `${method} ${operation ?? "?"}`) };
  };
  /** Writes the state of a stack; answers its file. */
  const stack = (name: string, held: Stack, more: Values = {}): string => {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(exported(name, held, more)));
    return file;
  };
  /** `drift --json` with these states; what it found is also told in short. */
  const drift = async (
    files: readonly string[],
    args: readonly string[] = [],
    environment?: Record<string, string>,
  ) => {
    const states = files.flatMap((file) => ["--state", file]);
    const ended = await run(["drift", "--json", ...states, ...args], environment);
    const report = (ended.out === "" ? { findings: [] } : JSON.parse(ended.out)) as Report;
    return { ...ended, report, found: report.findings.map(inShort) };
  };
  return {
    folder,
    emulator,
    clock,
    clientParts,
    calls: () => world.calls(),
    run,
    stack,
    drift,
    /** The same of one stack that holds these. */
    driftOf: (held: Stack, more?: Values) => drift([stack("dev", held, more)]),
    service: async (args: object = {}): Promise<Held> => ({
      kind: "Service",
      ...(await world.service.create({ name: "orders", ...args })),
    }),
    vpc: async (): Promise<Held> => ({
      kind: "Vpc",
      ...(await world.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" })),
    }),
    peering: async ({ id: vpcId }: Held): Promise<Held> => {
      const peer = { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0ab" };
      return { kind: "Peering", ...(await world.peering.create({ vpcId, ...peer })) };
    },
    readers: async ({ id: serviceId }: Held, args: object = {}): Promise<Held> => ({
      kind: "ReadReplicaSet",
      ...(await world.readReplicaSet.create({ serviceId, name: "readers", nodes: 1, ...sizes, ...args })),
    }),
  };
}

/** As the engine encrypts a value. */
export const encrypted = { ...SECRET_SIGNATURE, ciphertext: "v1:AAAA:never-opened" };

/** What `pulumi stack export` prints; secrets are encrypted. */
export function exported(name: string, held: Stack, more: Values = {}): Values {
  const root = { urn: `urn:pulumi:${name}::shop::pulumi:pulumi:Stack::shop-${name}`, type: "pulumi:pulumi:Stack" };
  const resources = Object.entries(held).map(([logical, { kind, id, inputs, outputs, failed, entry }]) => {
    const type = `pulumi-nodejs:dynamic/dbcloud:${kind}`;
    const urn = `urn:pulumi:${name}::shop::${type}::${logical}`;
    const engine = { urn, custom: true, type, id, ...(failed === undefined ? {} : { initErrors: [failed] }) };
    const propertyDependencies = Object.fromEntries(["__urn", ...Object.keys(inputs)].map((key) => [key, []]));
    const kept = { inputs: sealed(inputs), outputs: sealed({ __urn: urn, ...outputs }), propertyDependencies };
    return { ...engine, ...kept, ...entry };
  });
  return { version: 3, deployment: { resources: [root, ...resources], ...more } };
}

function sealed(values: Values): Values {
  const secrets = ["password", "initialPassword"];
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, secrets.includes(key) ? encrypted : value]),
  );
}

/** Category, resource or object, property or the like. */
function inShort(finding: Finding): string {
  switch (finding.category) {
    case "unknown":
      return `unknown ${finding.about.map(({ name }) => name).join(",")}`.trim();
    case "shared":
      return `shared ${finding.id}`;
    case "unmanaged":
      return `unmanaged ${finding.type} ${finding.objectName ?? finding.id}`;
    case "changed":
    case "moved":
    case "ignored":
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
