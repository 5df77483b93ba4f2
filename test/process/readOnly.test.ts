// DBCLOUD_READ_ONLY in the real provider process: each operation that changes something, as the handlers come to it.

import { afterAll, beforeAll, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { isChange, operationList } from "../../provider/client";
import { providerLine } from "../../provider/pulumi/stateNames";
import { failureOf, type Provider, startProvider, type Values } from "./provider";

type Kind = "service" | "vpc" | "peering" | "readReplicaSet";

let emulator: Emulator;
let providers: Record<Kind, Provider>;

beforeAll(async () => {
  emulator = await createEmulator({ seed: 1 });
  const start = async (): Promise<Provider> => {
    const provider = await startProvider({
      environment: {
        DBCLOUD_BASE_URL: emulator.baseUrl,
        DBCLOUD_API_KEY: emulator.apiKey,
        DBCLOUD_POLL_INTERVAL: "5ms",
        DBCLOUD_READ_ONLY: "1",
      },
    });
    await provider.configure({});
    return provider;
  };
  const provider = await start();
  providers = { service: provider, vpc: provider, peering: provider, readReplicaSet: provider };
});

afterAll(async () => {
  await providers.service.end();
  await emulator.close();
});

/** The state of an object that exists, as a refresh would have written it. */
async function stateOf(kind: Kind, id: string, state: Values): Promise<Values> {
  const { props } = await providers[kind].read(id, { ...state, __provider: providerLine(kind), __version: 1 });
  return { ...props, __inputs: "name" };
}

test("each operation that changes something is refused before anything is sent, and the message says what to unset", async () => {
  const { mutate } = emulator;
  const vpcId = mutate.createVpc({ name: "main" }).id;
  const other = mutate.createVpc({ name: "other" }).id;
  const emptyId = mutate.createVpc({ name: "empty" }).id;
  const serviceId = mutate.createService({ name: "orders", vpcId: other }).id;
  const pausedId = mutate.createService({ name: "paused", paused: true }).id;
  const setId = mutate.createReplicaSet(serviceId, { name: "readers" }).id;
  const peeringId = mutate.createPeering(vpcId, {}).id;
  const service = await stateOf("service", serviceId, {});
  const paused = await stateOf("service", pausedId, {});
  const pooledId = mutate.createService({ name: "pooled", poolerEnabled: true }).id;
  const pooled = await stateOf("service", pooledId, {});
  const pooledSetId = mutate.createReplicaSet(serviceId, { name: "pooled", poolerEnabled: true }).id;
  const pooledSet = await stateOf("readReplicaSet", pooledSetId, { serviceId });
  const set = await stateOf("readReplicaSet", setId, { serviceId });
  const peer = { vpcId, peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0ab" };
  const vpc = await stateOf("vpc", vpcId, {});

  const create = (kind: Kind, inputs: Values) => () =>
    providers[kind].create({ ...inputs, __provider: providerLine(kind) });
  const update = (kind: Kind, id: string, olds: Values, inputs: Values) => () =>
    providers[kind].update(id, olds, { name: olds["name"], ...inputs, __provider: providerLine(kind) });
  const remove = (kind: Kind, id: string, olds: Values) => () => providers[kind].delete(id, olds);
  const ways: Record<string, () => Promise<unknown>> = {
    createVpc: create("vpc", { name: "new", cidr: "10.9.0.0/24", regionCode: "us-east-1" }),
    renameVpc: update("vpc", vpcId, vpc, { name: "renamed" }),
    deleteVpc: remove("vpc", emptyId, await stateOf("vpc", emptyId, {})),
    createPeering: create("peering", peer),
    deletePeering: remove("peering", peeringId, { ...(await stateOf("peering", peeringId, { vpcId })) }),
    createService: create("service", { name: "new" }),
    forkService: create("service", { name: "fork", forkFrom: { serviceId, strategy: "NOW" } }),
    renameService: update("service", serviceId, service, { name: "renamed" }),
    resize: update("service", serviceId, service, { cpuMillis: 1_000, memoryGbs: 4 }),
    setHA: update("service", serviceId, service, { haReplicas: { replicaCount: 1 } }),
    setEnvironment: update("service", serviceId, service, { environment: "PROD" }),
    attachToVPC: update("service", pooledId, pooled, { vpcId }),
    detachFromVPC: update("service", serviceId, { ...service, __inputs: "name,vpcId" }, {}),
    enablePooler: update("service", serviceId, service, { poolerEnabled: true }),
    disablePooler: update("service", pooledId, pooled, { poolerEnabled: false }),
    updatePassword: update("service", serviceId, service, { password: "n3w-passw0rd" }),
    stop: update("service", serviceId, service, { paused: true }),
    start: update("service", pausedId, paused, { paused: false }),
    deleteService: remove("service", pausedId, paused),
    createReplicaSet: create("readReplicaSet", { serviceId, name: "new", nodes: 1, cpuMillis: 500, memoryGbs: 2 }),
    resizeReplicaSet: update("readReplicaSet", setId, set, { cpuMillis: 1_000, memoryGbs: 4 }),
    setReplicaEnvironment: update("readReplicaSet", setId, set, { environment: "PROD" }),
    enableReplicaPooler: update("readReplicaSet", setId, set, { poolerEnabled: true }),
    disableReplicaPooler: update("readReplicaSet", pooledSetId, pooledSet, { poolerEnabled: false }),
    deleteReplicaSet: remove("readReplicaSet", setId, set),
  };
  const changes = operationList.filter(isChange).map(({ name }) => name);
  expect(Object.keys(ways).toSorted()).toEqual(changes.toSorted());

  for (const [operation, way] of Object.entries(ways)) {
    const { message, kept } = await failureOf(way());
    expect.soft(message, operation).toContain(`${operation} (`);
    expect.soft(message, operation).toContain("read-only");
    expect.soft(message, operation).toContain("unset DBCLOUD_READ_ONLY in the environment");
    expect.soft(kept, operation).toBeUndefined();
  }
  expect(emulator.requests().filter(({ method }) => method !== "GET")).toEqual([]);
});

test.each([
  ["variable", { DBCLOUD_READONLY: "1" }, {}, "environment variable DBCLOUD_READONLY", "DBCLOUD_READ_ONLY"],
  ["key", {}, { "dbcloud:readonly": "true" }, "configuration dbcloud:readonly", "dbcloud:readOnly"],
] as const)(
  "a misspelt %s is refused by every handler before anything is sent",
  async (_, variables, keys, said, meant) => {
    const provider = await startProvider({
      environment: { DBCLOUD_BASE_URL: emulator.baseUrl, DBCLOUD_API_KEY: emulator.apiKey, ...variables },
    });
    await provider.configure(keys);
    const requests = emulator.requests().length;
    const serviceId = emulator.mutate.createService({ name: "misspelt" }).id;
    const inputs = { name: "misspelt", __provider: providerLine("service") };
    const state = { ...inputs, projectId: emulator.projectId, __inputs: "name", __version: 1 };
    const words = `${said}: there is no such setting; did you mean ${meant}?`;
    const { failures } = await provider.check({}, inputs);
    expect(failures.map(({ reason }) => reason)).toEqual([expect.stringContaining(words)]);
    for (const way of [
      () => provider.create(inputs),
      () => provider.read(serviceId, state),
      () => provider.update(serviceId, state, { ...inputs, environment: "PROD" }),
      () => provider.delete(serviceId, state),
    ]) {
      expect((await failureOf(way())).message).toContain(words);
    }
    await provider.end();
    expect(emulator.requests()).toHaveLength(requests);
  },
);

test("variables and keys of other tools are not refused, even if their names are similar", async () => {
  const provider = await startProvider({
    environment: {
      DBCLOUD_BASE_URL: emulator.baseUrl,
      DBCLOUD_API_KEY: emulator.apiKey,
      DBCLOUD_API_KEY_EU: "another-key",
      PULUMI_NODEJS_PROJECT: "db-cloud",
    },
  });
  await provider.configure({ "dbcloud:apiKeyEu": "x", "gcloud:readOnly": "true", "db-cloud:readOnly": "true" });
  const { failures } = await provider.check({}, { name: "own", __provider: providerLine("service") });
  await provider.end();
  expect(failures).toEqual([]);
});
