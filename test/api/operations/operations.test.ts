// Every operation against the contract: what goes out, word for word, and what comes back of what it answers.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, createClient, operationList } from "../../../provider/client";
import { startScriptedServer, type ScriptedServer } from "../../support/scriptedServer";
import { networkCases } from "./network";
import { replicaSetsCases } from "./replicaSets";
import { servicesCases } from "./services";

const cases = [...networkCases, ...servicesCases, ...replicaSetsCases];

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
  expect(namesOf(rows.filter(({ repeat }) => repeat === "notIdempotent"))).toEqual(new Set(creates));
  expect(namesOf(rows.filter(({ repeat }) => repeat === "sameValue"))).toEqual(new Set(["updatePassword"]));
  expect(rows.filter(({ repeat }) => repeat === "idempotent").every(({ method }) => method !== "POST")).toBe(true);
  expect(rows.filter(({ method }) => method !== "POST").every(({ repeat }) => repeat === "idempotent")).toBe(true);
});

test("what the contract does not show", () => {
  const silent = ["deleteService", "start", "renameService", "listReplicaSets"];
  expect(namesOf(rows.filter(({ documented }) => !documented))).toEqual(new Set(silent));
});
