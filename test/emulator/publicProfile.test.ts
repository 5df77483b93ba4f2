// Profile `public`: what clients of the published sibling of this API decode, written down from its document. Its members
// and their types, and nothing beside them.

import { expect, test } from "vitest";
import { publicOperations } from "../../emulator/index";
import { openEmulator, someService } from "./support/emulator";
import type { Json } from "./support/httpClient";
import { misfits, Project, ReadReplicaSet, Service, type Shape, type Type } from "../contract/shapes";

const without = (shape: Shape, ...names: string[]): Shape =>
  Object.fromEntries(Object.entries(shape).filter(([name]) => !names.includes(name.replace("?", ""))));

const PublicService: Shape = {
  ...without(Service, "data_tiering", "log_exporter_id", "metric_exporter_id"),
  service_type: { oneOf: ["TIMESCALEDB", "POSTGRES", "VECTOR"] },
};

const userFields: Shape = { id: "string", name: "string", email: "string" };
const ApiKey: Shape = {
  public_key: "string",
  name: "string",
  created: "date-time",
  project: { fields: { id: "string", name: "string", plan_type: "string" } },
  issuing_user: { fields: userFields },
};
const AuthInfo: Shape = {
  type: { oneOf: ["apiKey", "oauth"] },
  "api_key?": { fields: ApiKey },
  "apiKey?": { fields: ApiKey },
  "oauth?": { fields: { user: { fields: userFields } } },
};
const PublicError: Shape = { "code?": "string", "message?": "string", "details?": "string" };

async function openPublic() {
  const emulator = await openEmulator({ profile: "public", callers: [{ token: "user-token", kind: "oauth" }] });
  const strictly = async (status: number, method: string, path: string, type: Type, body?: unknown) => {
    const answer = await emulator.call(method, path, body);
    expect([answer.status, misfits(answer.json, type, false)]).toEqual([status, []]);
    return answer.json as Json;
  };
  return { ...emulator, strictly };
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

test("services, replica sets and errors have the members of the published document, in every answer", async () => {
  const { strictly, emulator, paths } = await openPublic();
  const service: Type = { fields: PublicService };
  const made = await strictly(202, "POST", paths.services, service, someService);
  expect(made).toMatchObject({
    service_type: "TIMESCALEDB",
    status: "QUEUED",
    endpoint: { host: expect.anything() as unknown },
  });
  const id = String(made["service_id"]);
  const path = paths.service(id);
  emulator.settle();
  await strictly(200, "GET", path, service);
  await strictly(200, "GET", paths.services, { list: service });
  const set = { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 };
  await strictly(202, "POST", paths.replicaSets(id), { fields: ReadReplicaSet }, set);
  emulator.settle();
  await strictly(200, "GET", paths.replicaSets(id), { list: { fields: ReadReplicaSet } });
  for (const [operation, body] of [["resize", { cpu_millis: "1000", memory_gbs: "4" }], ["stop"], ["start"]] as const) {
    await strictly(202, "POST", `${path}/${operation}`, service, body);
    emulator.settle();
  }
  await strictly(202, "POST", `${path}/forkService`, service, { fork_strategy: "NOW" });
  await strictly(200, "POST", `${path}/rename`, service, { name: "other" });
  await strictly(400, "POST", `${path}/resize`, { fields: PublicError }, { cpu_millis: 1, memory_gbs: 2 });
  await strictly(404, "GET", paths.service("nope"), { fields: PublicError });
  await strictly(200, "GET", "/projects", { list: { fields: Project } });
});

test("a PAT is also a user and a password; who calls is told apart", async () => {
  const { call, emulator, strictly } = await openPublic();
  const who = async (authorization: string) => {
    const answer = await call("GET", "/auth/info", undefined, { token: undefined, headers: { authorization } });
    return [answer.status, answer.json];
  };
  await strictly(200, "GET", "/auth/info", { fields: AuthInfo });
  const { projectId } = emulator;
  const asKey = [200, { type: "apiKey", api_key: { project: { id: projectId } } }];
  expect(await who(basic(`public:${emulator.apiKey}`))).toMatchObject(asKey);
  expect(await who(`Bearer ${emulator.apiKey}`)).toMatchObject(asKey);
  expect(await who("Bearer user-token")).toMatchObject([200, { type: "oauth", oauth: { user: {} } }]);
  expect(await who(basic("public:wrong"))).toMatchObject([401, {}]);
  expect(await who(basic(emulator.apiKey.slice(1)))).toMatchObject([401, {}]);
  // A key that is written as user and password is taken as a whole.
  const other = await openEmulator({ profile: "public", apiKey: "public:secret" });
  const headers = { authorization: basic("public:secret") };
  expect((await other.call("GET", "/projects", undefined, { token: undefined, headers })).status).toBe(200);
});

test("reports of account and usage are accepted", async () => {
  const { strictly, call } = await openPublic();
  const received: Type = { fields: { "status?": "string" } };
  await strictly(200, "POST", "/analytics/identify", received, { properties: { plan: "x", nested: { a: 1 } } });
  await strictly(200, "POST", "/analytics/track", received, { event: "service_created", properties: {} });
  expect((await call("POST", "/analytics/track", {})).status).toBe(400);
  for (const body of [undefined, {}, { refresh_token: "t" }])
    expect((await call("POST", "/auth/logout", body)).status).toBe(204);
});

test("no other profile has its operations", async () => {
  const { call, emulator } = await openEmulator();
  expect(publicOperations).toHaveLength(4);
  expect((await call("GET", "/auth/info")).status).toBe(404);
  const headers = { authorization: basic(`public:${emulator.apiKey}`) };
  expect((await call("GET", "/projects", undefined, { token: undefined, headers })).status).toBe(401);
});
