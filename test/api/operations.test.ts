// Every operation against the contract: what goes out, word for word, and what comes back of what it answers.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, createClient, operationList } from "../../provider/client";
import { peering, readReplicaSet, service, vpc, wirePeering, wireService, wireVpc } from "./fixtures";
import { startScriptedServer, type ScriptedServer } from "../support/scriptedServer";

interface Case {
  operation: string;
  call: (client: Client) => Promise<unknown>;
  sends: [method: string, path: string, body?: unknown];
  answers?: unknown;
  gives?: unknown;
}

const inProject = { projectId: "prj0000001" };
const ofVpc = { ...inProject, vpcId: "77" };
const ofService = { ...inProject, serviceId: "svc1234567" };
const ofSet = { ...ofService, replicaSetId: "rrs00001" };
const peer = { peerAccountId: "123456789012", peerRegionCode: "eu-west-1", peerVpcId: "vpc-0aa" };
const vpcs = "/v1/projects/prj0000001/vpcs";
const services = "/v1/projects/prj0000001/services";
const one = `${services}/svc1234567`;
const sets = `${one}/replicaSets`;
const wireSet = wireService.read_replica_sets[0];
const message = { message: "ok" };

const cases: Case[] = [
  {
    operation: "getProjects",
    call: (client) => client.projects.list(),
    sends: ["GET", "/v1/projects"],
    answers: [{ id: "prj0000001", name: "shop", plan: "unheard of" }],
    gives: [{ id: "prj0000001", name: "shop" }],
  },
  {
    operation: "listVpcs",
    call: (client) => client.vpcs.list(inProject),
    sends: ["GET", vpcs],
    answers: [wireVpc, { ...wireVpc, id: "78", status: "CREATING" }],
    gives: [vpc, { ...vpc, vpcId: "78", status: "CREATING" }],
  },
  {
    operation: "getVpc",
    call: (client) => client.vpcs.get(ofVpc),
    sends: ["GET", `${vpcs}/77`],
    answers: wireVpc,
    gives: vpc,
  },
  {
    operation: "createVpc",
    call: (client) => client.vpcs.create({ ...inProject, cidr: "10.1.0.0/24", name: "main", regionCode: "us-east-1" }),
    sends: ["POST", vpcs, { cidr: "10.1.0.0/24", name: "main", region_code: "us-east-1" }],
    answers: wireVpc,
    gives: { id: "77", value: vpc },
  },
  { operation: "deleteVpc", call: (client) => client.vpcs.delete(ofVpc), sends: ["DELETE", `${vpcs}/77`] },
  {
    operation: "renameVpc",
    call: (client) => client.vpcs.rename({ ...ofVpc, name: "core" }),
    sends: ["POST", `${vpcs}/77/rename`, { name: "core" }],
    answers: message,
  },
  {
    operation: "listPeerings",
    call: (client) => client.peerings.list(ofVpc),
    sends: ["GET", `${vpcs}/77/peerings`],
    answers: [wirePeering],
    gives: [peering],
  },
  {
    operation: "getPeering",
    call: (client) => client.peerings.get({ ...ofVpc, peeringId: "901" }),
    sends: ["GET", `${vpcs}/77/peerings/901`],
    answers: { ...wirePeering, status: "failed", error_message: "no such account" },
    gives: { ...peering, status: "failed", errorMessage: "no such account" },
  },
  {
    operation: "createPeering",
    call: (client) => client.peerings.create({ ...ofVpc, ...peer }),
    sends: [
      "POST",
      `${vpcs}/77/peerings`,
      { peer_account_id: "123456789012", peer_region_code: "eu-west-1", peer_vpc_id: "vpc-0aa" },
    ],
    answers: wirePeering,
    gives: { id: "901", value: peering },
  },
  {
    operation: "deletePeering",
    call: (client) => client.peerings.delete({ ...ofVpc, peeringId: "901" }),
    sends: ["DELETE", `${vpcs}/77/peerings/901`],
  },
  {
    operation: "listServices",
    call: (client) => client.services.list(inProject),
    sends: ["GET", services],
    answers: [wireService],
    gives: [service],
  },
  {
    operation: "getService",
    call: (client) => client.services.get(ofService),
    sends: ["GET", one],
    answers: wireService,
    gives: service,
  },
  {
    operation: "createService",
    call: (client) =>
      client.services.create({
        ...inProject,
        name: "orders",
        addons: ["time-series", "ai"],
        cpuMillis: 500,
        memoryGbs: 2,
        environment: "PROD",
        regionCode: "us-east-1",
        replicaCount: 1,
      }),
    sends: [
      "POST",
      services,
      {
        name: "orders",
        addons: ["time-series", "ai"],
        cpu_millis: "500",
        memory_gbs: "2",
        environment_tag: "PROD",
        region_code: "us-east-1",
        replica_count: 1,
      },
    ],
    answers: { ...wireService, initial_password: "first-password-1" },
    gives: {
      id: "svc1234567",
      initialPassword: "first-password-1",
      value: { ...service, initialPassword: "first-password-1" },
    },
  },
  {
    operation: "createService",
    call: (client) =>
      client.services.create({ ...inProject, name: "orders", addons: [], cpuMillis: "shared", memoryGbs: "shared" }),
    sends: ["POST", services, { name: "orders", addons: [], cpu_millis: "shared", memory_gbs: "shared" }],
    answers: wireService,
    gives: { id: "svc1234567", value: service },
  },
  {
    operation: "createService",
    call: (client) => client.services.create({ ...inProject, name: "orders" }),
    sends: ["POST", services, { name: "orders" }],
    answers: wireService,
    gives: { id: "svc1234567", value: service },
  },
  { operation: "deleteService", call: (client) => client.services.delete(ofService), sends: ["DELETE", one] },
  {
    operation: "attachToVPC",
    call: (client) => client.services.attachToVPC({ ...ofService, vpcId: "77" }),
    sends: ["POST", `${one}/attachToVPC`, { vpc_id: "77" }],
    answers: message,
  },
  {
    operation: "detachFromVPC",
    call: (client) => client.services.detachFromVPC({ ...ofService, vpcId: "77" }),
    sends: ["POST", `${one}/detachFromVPC`, { vpc_id: "77" }],
    answers: message,
  },
  {
    operation: "resize",
    call: (client) => client.services.resize({ ...ofService, cpuMillis: 1000, memoryGbs: 4 }),
    sends: ["POST", `${one}/resize`, { cpu_millis: "1000", memory_gbs: "4" }],
    answers: wireService,
    gives: service,
  },
  {
    operation: "enablePooler",
    call: (client) => client.services.enablePooler(ofService),
    sends: ["POST", `${one}/enablePooler`],
    answers: message,
  },
  {
    operation: "disablePooler",
    call: (client) => client.services.disablePooler(ofService),
    sends: ["POST", `${one}/disablePooler`],
    answers: message,
  },
  {
    operation: "forkService",
    call: (client) =>
      client.services.forkService({
        ...inProject,
        serviceId: "svc0000000",
        strategy: "PITR",
        targetTime: "2026-02-01T00:00:00Z",
        name: "orders-fork",
        cpuMillis: "shared",
        memoryGbs: "shared",
        environment: "DEV",
      }),
    sends: [
      "POST",
      `${services}/svc0000000/forkService`,
      {
        fork_strategy: "PITR",
        target_time: "2026-02-01T00:00:00Z",
        name: "orders-fork",
        cpu_millis: "shared",
        memory_gbs: "shared",
        environment_tag: "DEV",
      },
    ],
    answers: { ...wireService, initial_password: "first-password-2" },
    gives: {
      id: "svc1234567",
      initialPassword: "first-password-2",
      value: { ...service, initialPassword: "first-password-2" },
    },
  },
  {
    operation: "forkService",
    call: (client) => client.services.forkService({ ...inProject, serviceId: "svc0000000", strategy: "NOW" }),
    sends: ["POST", `${services}/svc0000000/forkService`, { fork_strategy: "NOW" }],
    answers: wireService,
    gives: { id: "svc1234567", value: service },
  },
  {
    operation: "updatePassword",
    call: (client) => client.services.updatePassword({ ...ofService, password: "n3w-passw0rd" }),
    sends: ["POST", `${one}/updatePassword`, { password: "n3w-passw0rd" }],
  },
  {
    operation: "setEnvironment",
    call: (client) => client.services.setEnvironment({ ...ofService, environment: "PROD" }),
    sends: ["POST", `${one}/setEnvironment`, { environment: "PROD" }],
    answers: message,
  },
  {
    operation: "getLogs",
    call: (client) =>
      client.services.logs({
        ...ofService,
        cursor: "a b/c",
        node: 0,
        search: ["out of memory", "50%"],
        severities: ["ERROR", "FATAL"],
        since: "2026-02-01T00:00:00Z",
        until: "2026-02-02T00:00:00+01:00",
      }),
    sends: [
      "GET",
      `${one}/logs?cursor=a+b%2Fc&node=0&search=out+of+memory&search=50%25&severities=ERROR&severities=FATAL` +
        "&since=2026-02-01T00%3A00%3A00Z&until=2026-02-02T00%3A00%3A00%2B01%3A00",
    ],
    answers: {
      logs: ["two", "one"],
      entries: [
        { message: "two", severity: "ERROR", timestamp: "2026-02-01T00:00:02Z" },
        { message: "one", severity: "FATAL", timestamp: "2026-02-01T00:00:01Z" },
      ],
      last_cursor: "next",
      lastCursor: "other",
    },
    gives: {
      logs: ["two", "one"],
      entries: [
        { message: "two", severity: "ERROR", timestamp: "2026-02-01T00:00:02Z" },
        { message: "one", severity: "FATAL", timestamp: "2026-02-01T00:00:01Z" },
      ],
      lastCursor: "next",
    },
  },
  {
    operation: "setHA",
    call: (client) => client.services.setHA({ ...ofService, replicaCount: 2, syncReplicaCount: 1 }),
    sends: ["POST", `${one}/setHA`, { replica_count: 2, sync_replica_count: 1 }],
    answers: wireService,
    gives: service,
  },
  {
    operation: "setHA",
    call: (client) => client.services.setHA({ ...ofService, syncReplicaCount: 0 }),
    sends: ["POST", `${one}/setHA`, { sync_replica_count: 0 }],
    answers: wireService,
    gives: service,
  },
  {
    operation: "stop",
    call: (client) => client.services.stop(ofService),
    sends: ["POST", `${one}/stop`],
    answers: wireService,
    gives: service,
  },
  {
    operation: "start",
    call: (client) => client.services.start(ofService),
    sends: ["POST", `${one}/start`],
    answers: wireService,
    gives: service,
  },
  {
    operation: "renameService",
    call: (client) => client.services.rename({ ...ofService, name: "bestellungen" }),
    sends: ["POST", `${one}/rename`, { name: "bestellungen" }],
    answers: wireService,
    gives: service,
  },
  {
    operation: "listReplicaSets",
    call: (client) => client.readReplicaSets.list(ofService),
    sends: ["GET", sets],
    answers: [wireSet],
    gives: [readReplicaSet],
  },
  {
    operation: "createReplicaSet",
    call: (client) =>
      client.readReplicaSets.create({ ...ofService, name: "readers", nodes: 2, cpuMillis: 1000, memoryGbs: 4 }),
    sends: ["POST", sets, { cpu_millis: 1000, memory_gbs: 4, name: "readers", nodes: 2 }],
    answers: wireSet,
    gives: { id: "rrs00001", value: readReplicaSet },
  },
  {
    operation: "deleteReplicaSet",
    call: (client) => client.readReplicaSets.delete(ofSet),
    sends: ["DELETE", `${sets}/rrs00001`],
  },
  {
    operation: "resizeReplicaSet",
    call: (client) => client.readReplicaSets.resize({ ...ofSet, cpuMillis: 2000, memoryGbs: 8 }),
    sends: ["POST", `${sets}/rrs00001/resize`, { cpu_millis: "2000", memory_gbs: "8" }],
    answers: message,
  },
  {
    operation: "enableReplicaPooler",
    call: (client) => client.readReplicaSets.enablePooler(ofSet),
    sends: ["POST", `${sets}/rrs00001/enablePooler`],
    answers: message,
  },
  {
    operation: "disableReplicaPooler",
    call: (client) => client.readReplicaSets.disablePooler(ofSet),
    sends: ["POST", `${sets}/rrs00001/disablePooler`],
    answers: message,
  },
  {
    operation: "setReplicaEnvironment",
    call: (client) => client.readReplicaSets.setEnvironment({ ...ofSet, environment: "DEV" }),
    sends: ["POST", `${sets}/rrs00001/setEnvironment`, { environment: "DEV" }],
    answers: message,
  },
];

const rows = operationList;
const namesOf = (chosen: readonly { name: string }[]): Set<string> => new Set(chosen.map(({ name }) => name));

describe("every operation speaks the contract", () => {
  let server: ScriptedServer;
  let client: Client;
  beforeAll(async () => {
    server = await startScriptedServer({});
    client = createClient({ baseUrl: server.baseUrl, apiKey: "key-for-tests", maxRequestsPerSecond: 10_000 });
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  test.each(cases)("$operation $sends", async ({ call, sends: [method, path, body], answers, gives }) => {
    server.replies.splice(0, Infinity, answers === undefined ? { status: 204 } : { json: answers });
    server.asked.length = 0;
    expect(await call(client)).toStrictEqual(gives);
    const [asked] = server.asked;
    expect(server.asked).toHaveLength(1);
    expect([asked?.method, asked?.url]).toEqual([method, path]);
    expect(asked?.body).toBe(body === undefined ? "" : JSON.stringify(body));
    expect(asked?.headers["content-type"]).toBe(body === undefined ? undefined : "application/json");
    expect(asked?.headers.authorization).toBe("Bearer key-for-tests");
  });

  test("none is left out", () => {
    expect(new Set(cases.map(({ operation }) => operation))).toEqual(namesOf(rows));
  });
});

test("names and routes are used once", () => {
  const routes = rows.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(routes).size).toBe(rows.length);
  expect(namesOf(rows).size).toBe(rows.length);
});

test("what may be sent again after an unclear answer", () => {
  const creates = ["createVpc", "createPeering", "createService", "forkService", "createReplicaSet"];
  expect(namesOf(rows.filter(({ repeat }) => repeat === "neverBlind"))).toEqual(new Set(creates));
  expect(namesOf(rows.filter(({ repeat }) => repeat === "sameValue"))).toEqual(new Set(["updatePassword"]));
  expect(rows.filter(({ repeat }) => repeat === "freely").every(({ method }) => method !== "POST")).toBe(true);
  expect(rows.filter(({ method }) => method !== "POST").every(({ repeat }) => repeat === "freely")).toBe(true);
});

test("what the contract does not show", () => {
  const silent = ["deleteService", "start", "renameService", "listReplicaSets"];
  expect(namesOf(rows.filter(({ documented }) => !documented))).toEqual(new Set(silent));
});
