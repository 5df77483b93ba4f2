// Requests are strict: nonsense never leaves, and the error names the input without showing its value.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Client, createClient, InputError } from "../../../provider/client";
import { inProject, ofService, openClient, failureOf } from "../../support/client";
import { wireBareService } from "../fixtures";

const client = createClient({ baseUrl: "http://127.0.0.1:9/v1", apiKey: "unused" });
const ofSet = { ...ofService, replicaSetId: "rrs00001" };

/** What a caller without types can pass. */
const loose = (value: object): never => value as never;

const cases: [input: string, message: string, call: (client: Client) => Promise<unknown>][] = [
  [
    "projectId",
    "getService: projectId must be an id that is not empty",
    (c) => c.services.get({ projectId: "", serviceId: "s" }),
  ],
  [
    "serviceId",
    "getService: serviceId must be an id that is not empty",
    (c) => c.services.get({ ...inProject, serviceId: ".." }),
  ],
  [
    "serviceId",
    "getService: serviceId must be an id that is not empty",
    (c) => c.services.get({ ...inProject, serviceId: "." }),
  ],
  [
    "serviceId",
    "getService: serviceId must be an id that is not empty",
    (c) => c.services.get({ ...inProject, serviceId: "\ud800" }),
  ],
  ["serviceId", "deleteService: serviceId must be an id", (c) => c.services.delete(loose(inProject))],
  [
    "colour",
    "createService: there is no input colour",
    (c) => c.services.create(loose({ ...inProject, name: "n", colour: 1 })),
  ],
  [
    "name",
    "createService: name must be a text of 1 to 128 characters",
    (c) => c.services.create({ ...inProject, name: "" }),
  ],
  [
    "name",
    "renameService: name must be a text of 1 to 128 characters",
    (c) => c.services.rename({ ...ofService, name: "n".repeat(129) }),
  ],
  [
    "addons.0",
    'createService: addons.0 must be "time-series" or "ai"',
    (c) => c.services.create(loose({ ...inProject, name: "n", addons: ["x"] })),
  ],
  [
    "cpuMillis",
    'createService: cpuMillis must be a whole number, at least 1, or "shared"',
    (c) => c.services.create(loose({ ...inProject, name: "n", cpuMillis: "500" })),
  ],
  [
    "memoryGbs",
    "resize: memoryGbs must be a whole number, at least 1",
    (c) => c.services.resize({ ...ofService, cpuMillis: 500, memoryGbs: 0.5 }),
  ],
  [
    "cpuMillis",
    "resize: cpuMillis must be a whole number, at least 1",
    (c) => c.services.resize({ ...ofService, cpuMillis: Number.NaN, memoryGbs: 2 }),
  ],
  [
    "cpuMillis",
    "resize: cpuMillis must be a whole number, at least 1",
    (c) => c.services.resize(loose({ ...ofService, cpuMillis: "shared", memoryGbs: 2 })),
  ],
  [
    "environment",
    'setEnvironment: environment must be "DEV" or "PROD"',
    (c) => c.services.setEnvironment(loose({ ...ofService, environment: "prod" })),
  ],
  ["replicaCount", "setHA: replicaCount must be given, or syncReplicaCount", (c) => c.services.setHA(ofService)],
  [
    "syncReplicaCount",
    "setHA: syncReplicaCount must be at most replicaCount, which counts all replicas",
    (c) => c.services.setHA({ ...ofService, replicaCount: 1, syncReplicaCount: 2 }),
  ],
  [
    "replicaCount",
    "setHA: replicaCount must be a whole number, at least 0",
    (c) => c.services.setHA({ ...ofService, replicaCount: -1 }),
  ],
  [
    "targetTime",
    'forkService: targetTime must be given with the strategy "PITR", and only with it',
    (c) => c.services.forkService({ ...ofService, strategy: "PITR" }),
  ],
  [
    "targetTime",
    'forkService: targetTime must be given with the strategy "PITR", and only with it',
    (c) => c.services.forkService({ ...ofService, strategy: "NOW", targetTime: "2026-01-01T00:00:00Z" }),
  ],
  [
    "targetTime",
    "forkService: targetTime must be a time like 2026-01-31T12:00:00Z",
    (c) => c.services.forkService({ ...ofService, strategy: "PITR", targetTime: "yesterday" }),
  ],
  [
    "search.1",
    "getLogs: search.1 must be a text that is not blank",
    (c) => c.services.logs({ ...ofService, search: ["a", " "] }),
  ],
  ["node", "getLogs: node must be a whole number, at least 0", (c) => c.services.logs({ ...ofService, node: -1 })],
  [
    "cidr",
    'createVpc: cidr must be an IPv4 block like "10.0.0.0/24"',
    (c) => c.vpcs.create({ ...inProject, cidr: "10.0.0.0", name: "n", regionCode: "r" }),
  ],
  [
    "peerVpcId",
    "createPeering: peerVpcId must be a text that is not empty",
    (c) => c.peerings.create({ ...inProject, vpcId: "1", peerAccountId: "a", peerRegionCode: "r", peerVpcId: "" }),
  ],
  [
    "nodes",
    "createReplicaSet: nodes must be a whole number, at least 1",
    (c) => c.readReplicaSets.create({ ...ofService, name: "n", nodes: 0, cpuMillis: 1, memoryGbs: 1 }),
  ],
  [
    "replicaSetId",
    "deleteReplicaSet: replicaSetId must be an id that is not empty",
    (c) => c.readReplicaSets.delete({ ...ofSet, replicaSetId: "" }),
  ],
  [
    "password",
    "updatePassword: password must be a text that is not empty",
    (c) => c.services.updatePassword({ ...ofService, password: "" }),
  ],
];

test.each(cases)("%s: %s", async (input, message, call) => {
  const error = await failureOf(call(client));
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({ code: "INPUT", path: input, message });
});

describe("ids", () => {
  test("are encoded, whatever they hold", async () => {
    const { server, client: own } = await openClient([{ json: [] }]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), async (id) => {
        fc.pre(id !== "." && id !== "..");
        server.asked.length = 0;
        await own.services.list({ projectId: id });
        const segments = server.asked[0]?.url.split("/") ?? [];
        expect(segments).toHaveLength(5);
        expect(decodeURIComponent(segments[3] ?? "")).toBe(id);
      }),
      { numRuns: 50 },
    );
  });

  test("with slashes, dots and letters of all kinds come back as they were", async () => {
    const id = "a/../b c?d#é%2e";
    const { server, client: own } = await openClient([{ json: { ...wireBareService, service_id: id } }]);
    const found = await own.services.get({ ...inProject, serviceId: id });
    expect(found.serviceId).toBe(id);
    expect(server.asked[0]?.url).toBe("/v1/projects/prj0000001/services/a%2F..%2Fb%20c%3Fd%23%C3%A9%252e");
  });
});

test("a caller's input stays as it was", async () => {
  const { client: own } = await openClient([{ json: wireBareService }]);
  const input = Object.freeze({ ...inProject, name: "orders", addons: ["ai" as const], cpuMillis: undefined });
  const given = structuredClone(input);
  await own.services.create(input);
  expect(input).toStrictEqual(given);
});
