// Requests are strict: nonsense never leaves, and the error names the input without showing its value.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Client, createClient, InputError } from "../../../provider/client";
import { inProject, ofService, openClient, failureOf } from "../../support/client";
import { textWith } from "../../support/matchers";
import { wireBareService } from "../fixtures";

const client = createClient({ baseUrl: "http://127.0.0.1:9/v1", apiKey: "unused" });
const named = { ...inProject, name: "n" };
const moment = "2026-01-01T00:00:00Z";
const peer = { peerAccountId: "a", peerRegionCode: "r" };
const size = { cpuMillis: 1, memoryGbs: 1 };

/** What a caller without types can pass. */
const loose = (value: object): never => value as never;

test.each<[input: string, words: string, call: (client: Client) => Promise<unknown>]>([
  ["projectId", "id without invisible characters", (c) => c.services.get({ projectId: "", serviceId: "s" })],
  ["serviceId", "id without invisible characters", (c) => c.services.get({ ...inProject, serviceId: ".." })],
  ["serviceId", "id without invisible characters", (c) => c.services.get({ ...inProject, serviceId: "." })],
  ["serviceId", "id without invisible characters", (c) => c.services.get({ ...inProject, serviceId: "\ud800" })],
  ["serviceId", "an id", (c) => c.services.delete(loose(inProject))],
  [
    "replicaSetId",
    "id without invisible characters",
    (c) => c.readReplicaSets.delete({ ...ofService, replicaSetId: "" }),
  ],
  ["colour", "no input colour", (c) => c.services.create(loose({ ...named, colour: 1 }))],
  ["name", "1 to 128 characters", (c) => c.services.create({ ...inProject, name: "" })],
  ["name", "1 to 128 characters", (c) => c.services.rename({ ...ofService, name: "n".repeat(129) })],
  ["addons.0", '"time-series" or "ai"', (c) => c.services.create(loose({ ...named, addons: ["x"] }))],
  ["cpuMillis", 'or "shared"', (c) => c.services.create(loose({ ...named, cpuMillis: "500" }))],
  ["memoryGbs", "at least 1", (c) => c.services.resize({ ...ofService, cpuMillis: 500, memoryGbs: 0.5 })],
  ["cpuMillis", "at least 1", (c) => c.services.resize({ ...ofService, cpuMillis: Number.NaN, memoryGbs: 2 })],
  ["cpuMillis", "at least 1", (c) => c.services.resize(loose({ ...ofService, cpuMillis: "shared", memoryGbs: 2 }))],
  ["environment", '"DEV" or "PROD"', (c) => c.services.setEnvironment(loose({ ...ofService, environment: "prod" }))],
  ["replicaCount", "or syncReplicaCount", (c) => c.services.setHA(ofService)],
  ["replicaCount", "at least 0", (c) => c.services.setHA({ ...ofService, replicaCount: -1 })],
  ["syncReplicaCount", "at most", (c) => c.services.setHA({ ...ofService, replicaCount: 1, syncReplicaCount: 2 })],
  ["targetTime", "only with it", (c) => c.services.forkService({ ...ofService, strategy: "PITR" })],
  ["targetTime", "only with it", (c) => c.services.forkService({ ...ofService, strategy: "NOW", targetTime: moment })],
  ["targetTime", "a time", (c) => c.services.forkService({ ...ofService, strategy: "PITR", targetTime: "yesterday" })],
  ["search.1", "a non-blank string", (c) => c.services.logs({ ...ofService, search: ["a", " "] })],
  ["node", "at least 0", (c) => c.services.logs({ ...ofService, node: -1 })],
  ["cidr", "IPv4 block", (c) => c.vpcs.create({ ...inProject, cidr: "10.0.0.0", name: "n", regionCode: "r" })],
  ["peerVpcId", "a non-empty string", (c) => c.peerings.create({ ...inProject, vpcId: "1", ...peer, peerVpcId: "" })],
  ["nodes", "at least 1", (c) => c.readReplicaSets.create({ ...ofService, name: "n", nodes: 0, ...size })],
  ["password", "a non-empty string", (c) => c.services.updatePassword({ ...ofService, password: "" })],
])("%s is refused unless it is %s", async (input, words, call) => {
  const error = await failureOf(call(client));
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({ code: "INPUT", path: input, message: textWith(words) });
});

test("ids are encoded, whatever they hold", async () => {
  const { server, client: own } = await openClient([{ json: [] }]);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), async (id) => {
      // These, and what a terminal would not show as it is, are refused.
      fc.pre(id !== "." && id !== ".." && !/[\p{C}\p{Z}\p{DI}]/u.test(id));
      server.asked.length = 0;
      await own.services.list({ projectId: id });
      const segments = server.asked[0]?.url.split("/") ?? [];
      expect(segments).toHaveLength(5);
      expect(decodeURIComponent(segments[3] ?? "")).toBe(id);
    }),
    { numRuns: 50 },
  );
});

test("a caller's input stays as it was", async () => {
  const { client: own } = await openClient([{ json: wireBareService }]);
  const input = Object.freeze({ ...inProject, name: "orders", addons: ["ai" as const], cpuMillis: undefined });
  const given = structuredClone(input);
  await own.services.create(input);
  expect(input).toStrictEqual(given);
});
