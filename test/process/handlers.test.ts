// The handlers as the engine meets them: loaded by the line that every state keeps, in the real provider process.

import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { providerLine } from "../../provider/pulumi/stateNames";
import { type Engine, startEngine } from "./engine";
import { failureOf, type Provider, root, startProvider, type Values } from "./provider";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

// Frozen: states hold these texts for years, and refresh and destroy run what they load.
const lines = {
  service: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("service");',
  vpc: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("vpc");',
  peering: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("peering");',
  readReplicaSet: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("readReplicaSet");',
};
type Kind = keyof typeof lines;

const className = { service: "Service", vpc: "Vpc", peering: "Peering", readReplicaSet: "ReadReplicaSet" };

function urnOf(kind: Kind, name: string): string {
  return `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:${className[kind]}::${name}`;
}

/** What the classes send beside the program's own inputs. */
function hidden(kind: Kind, name: string): Values {
  return { __provider: lines[kind], __urn: urnOf(kind, name), __defaultName: `${name}-dev` };
}

let emulator: Emulator;
let engine: Engine;
let provider: Provider;

beforeAll(async () => {
  if (!existsSync(path.join(root, "dist/provider/host.js"))) throw new Error("dist is missing: run `npm run build`");
  emulator = await createEmulator({ seed: 1 });
  engine = await startEngine();
  provider = await startProvider({ engine });
  await provider.configure({
    "dbcloud:baseUrl": emulator.baseUrl,
    "dbcloud:apiKey": emulator.apiKey,
    "dbcloud:pollInterval": "5ms",
    "dbcloud:maxRequestsPerSecond": "1000",
  });
});

afterAll(async () => {
  await provider.end();
  await emulator.close();
  engine.kill();
});

/** Pulumi: what a resource of the program has is deleted only when it is replaced: then it is checked once more, as new. */
async function deleteReplaced(kind: Kind, name: string, id: string, props: Values): Promise<void> {
  await provider.check({}, hidden(kind, name));
  await provider.delete(id, props);
}

async function createOf(kind: Kind, name: string, args: Values): Promise<{ id: string; inputs: Values; outs: Values }> {
  const { inputs, failures } = await provider.check({}, { ...hidden(kind, name), ...args });
  expect(failures).toEqual([]);
  return { inputs, ...(await provider.create(inputs)) };
}

const kinds: [Kind, Values][] = [
  ["service", {}],
  ["vpc", { cidr: "10.0.0.0/24", regionCode: "us-east-1" }],
  ["peering", { vpcId: "v1", peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a1b2c3d" }],
  ["readReplicaSet", { serviceId: "s1", nodes: 1, cpuMillis: 500, memoryGbs: 2 }],
];

test.each(kinds)(
  "the class of a %s sends the fixed provider line, and the line loads its handlers",
  async (kind, args) => {
    expect(providerLine(kind)).toBe(lines[kind]);
    const { inputs, failures } = await provider.check({}, { ...hidden(kind, "orders"), ...args });
    expect(failures).toEqual([]);
    const name = kind === "peering" ? {} : { name: "orders-dev" };
    expect(inputs).toEqual({ ...args, ...name, __provider: lines[kind] });
  },
);

test("a failed check names the path, what was given and what is allowed, but no property and no secret", async () => {
  const bad = { cpuMillis: 500, haReplicas: { replicaCount: 1, syncReplicaCount: 2 }, password: 12345678, tier: "big" };
  const { failures } = await provider.check({}, { ...hidden("service", "orders"), ...bad });
  // The engine prints the value of a property that is named.
  expect(failures.map(({ property }) => property)).toEqual(failures.map(() => ""));
  const reasons = failures.map(({ reason }) => reason).toSorted();
  expect(reasons).toEqual([
    "haReplicas.syncReplicaCount: given 2; allowed: at most replicaCount, which is 1 and counts all of them",
    "memoryGbs: is missing; allowed: both sizes or none (cpuMillis is given)",
    "password: given [secret]; allowed: a text that is not empty; it must be a text, in quotes",
    expect.stringMatching(/^tier: there is no such argument; allowed: name, regionCode, /),
  ]);
});

test("unknown values of a preview pass the check unchanged", async () => {
  const unknown = { vpcId: UNKNOWN, cpuMillis: UNKNOWN, memoryGbs: 4, password: UNKNOWN };
  const { inputs, failures } = await provider.check({}, { ...hidden("service", "orders"), ...unknown });
  expect(failures).toEqual([]);
  expect(inputs).toMatchObject(unknown);
});

test("a password is a secret from its check on, also where a transformation has put it into the inputs", async () => {
  const { inputs } = await provider.check({}, { ...hidden("service", "orders"), password: "s3cret!!" });
  expect(inputs["password"]).toEqual({ ...SECRET, value: "s3cret!!" });
});

test("create, read, update and delete of a service work, and every result marks the secrets", async () => {
  const args = {
    regionCode: "us-east-1",
    cpuMillis: 500,
    memoryGbs: 2,
    password: "correct horse",
    poolerEnabled: true,
  };
  const { id, inputs, outs } = await createOf("service", "life", args);
  const [service] = emulator.state().services;
  expect(service).toMatchObject({
    id,
    name: "life-dev",
    cpuMillis: 500,
    poolerEnabled: true,
    password: "correct horse",
  });
  const secrets = {
    password: { ...SECRET, value: "correct horse" },
    initialPassword: { ...SECRET, value: service?.initialPassword },
  };
  expect(outs).toMatchObject({ ...inputs, ...secrets, status: "READY", projectId: "proj000001" });

  // The engine hands plain values back.
  const plain = { ...outs, password: "correct horse", initialPassword: service?.initialPassword };
  const seen = await provider.read(id, plain);
  expect(seen.id).toBe(id);
  expect(seen.props).toEqual(outs);
  expect(seen.inputs).toEqual({ ...inputs, password: secrets.password });

  const news = { ...inputs, cpuMillis: 1000, memoryGbs: 4 };
  expect(await provider.diff(id, plain, news)).toEqual({ changes: "unknown", replaces: [] });
  const updated = await provider.update(id, plain, news);
  expect(updated.outs).toMatchObject({ cpuMillis: 1000, memoryGbs: 4, ...secrets, __provider: lines.service });
  expect(emulator.state().services).toMatchObject([{ id, cpuMillis: 1000, memoryGbs: 4 }]);

  await deleteReplaced("service", "life", id, { ...plain, ...news });
  expect(emulator.state().services).toEqual([]);
  const old = { ...plain, created: "2020-01-01T00:00:00Z" };
  expect(await provider.read(id, old)).toMatchObject({ id: "" });
});

test("diff leaves the comparison to the engine, except where the inputs do not show the change", async () => {
  const args = { cidr: "10.1.0.0/24", regionCode: "us-east-1" };
  const { id, inputs, outs } = await createOf("vpc", "net", args);
  const diff = async (olds: Values, news: Values) => {
    const checked = await provider.check(inputs, { ...hidden("vpc", "net"), ...args, ...news });
    return provider.diff(id, { ...outs, ...olds }, checked.inputs);
  };

  expect(await diff({}, {})).toEqual({ changes: "unknown", replaces: [] });
  expect(await diff({}, { name: "other" })).toEqual({ changes: "unknown", replaces: [] });
  expect(await diff({}, { name: UNKNOWN })).toEqual({ changes: "unknown", replaces: [] });
  expect(await diff({}, { cidr: "10.2.0.0/24" })).toEqual({ changes: "unknown", replaces: ["cidr"] });
  // A step that an interrupted run left to do, a state of an older layout; where inputs differ too, the engine names them.
  expect(await diff({ __pending: ["rename"] }, {})).toMatchObject({ changes: "some" });
  expect(await diff({ __pending: ["rename"] }, { name: "other" })).toEqual({ changes: "unknown", replaces: [] });
  // What moved of its own is no change; states of old may name it.
  expect(await diff({ __drift: ["status"] }, {})).toEqual({ changes: "unknown", replaces: [] });
  expect(await diff({ __provider: "exports.handler = () => require('elsewhere');" }, {})).toMatchObject({
    changes: "some",
  });
  // A resource that was only renamed or moved within the program.
  const moved = { ...inputs, __urn: urnOf("vpc", "moved") };
  expect(await provider.diff(id, outs, moved)).toEqual({ changes: "none", replaces: [] });
  await deleteReplaced("vpc", "net", id, outs);
});

test("a create that fails half-way returns its id, the known outputs and the reason, and the next update continues", async () => {
  const fault = emulator.faults.add({ operation: "enablePooler", kind: "status", status: 403, times: Infinity });
  const { inputs } = await provider.check(
    {},
    { ...hidden("service", "half"), poolerEnabled: true, password: "s3cret!!" },
  );
  const { message, kept } = await failureOf(provider.create(inputs));
  fault.remove();
  const [service] = emulator.state().services;
  expect(kept?.id).toBe(service?.id);
  expect(kept?.properties).toMatchObject({
    __provider: lines.service,
    name: "half-dev",
    status: "READY",
    poolerEnabled: false,
    initialPassword: { ...SECRET, value: service?.initialPassword },
  });
  expect(kept?.reasons).toHaveLength(1);
  expect(kept?.reasons[0]).toContain("service half-dev");
  expect(kept?.reasons[0]).toContain("failed: enablePooler");
  expect(message + String(kept?.reasons)).not.toMatch(/s3cret!!|at \w+ \(/);

  const olds = { ...kept?.properties, initialPassword: service?.initialPassword };
  // Pulumi: after a create that failed half-way the engine makes an update in any case, and names what the inputs show.
  expect(await provider.diff(service?.id ?? "", olds, inputs)).toMatchObject({ changes: "unknown", replaces: [] });
  emulator.clearRequests();
  const { outs } = await provider.update(service?.id ?? "", olds, inputs);
  const calls = emulator.requests().filter(({ method }) => method !== "GET");
  expect(calls.map(({ operation }) => operation)).toEqual(["enablePooler", "updatePassword"]);
  expect(outs).toMatchObject({ poolerEnabled: true, password: { ...SECRET, value: "s3cret!!" } });
  expect(outs).not.toHaveProperty("__pending");
  await deleteReplaced("service", "half", service?.id ?? "", outs);
});

test("errors of check, diff, read and delete reach the engine as one message, without a stack trace on stderr", async () => {
  const { id, inputs, outs } = await createOf("service", "quiet", {
    regionCode: "us-east-1",
    deletionProtection: true,
  });
  const refused = await failureOf(deleteReplaced("service", "quiet", id, outs));
  expect(refused.message).toContain("is protected against deletion");

  const moved = await provider.check(inputs, { ...hidden("service", "quiet"), ...inputs, projectId: "elsewhere" });
  const changed = await failureOf(provider.diff(id, { ...outs, projectId: "proj000001" }, moved.inputs));
  expect(changed.message).toContain("projectId");

  const fault = emulator.faults.add({ operation: "getService", kind: "status", status: 401, times: Infinity });
  const unread = await failureOf(provider.read(id, outs));
  fault.remove();
  expect(unread.message).toContain("401");
  const messages = [refused, changed, unread].map(({ message }) => message).join("\n");
  expect(messages).not.toMatch(/^\s+at /m);
  expect(provider.stderr()).toBe("");
  emulator.mutate.deleteService(id);
});
