// Every operation against the contract: what goes out, word for word, and what comes back of what it answers.

import { expect, test } from "vitest";
import { type Client, operationList } from "../../../provider/client";
import { contract, documented, methodOf, pathOf, rowNamed, type Row } from "../../contract/operations";
import * as shapes from "../../contract/shapes";
import { filled, placesOf } from "../../contract/walk";
import { API_KEY, inProject, ofService, openClient } from "../../support/client";
import * as fixtures from "../fixtures";

const ids = {
  project_id: "prj0000001",
  service_id: "svc1234567",
  vpc_id: "77",
  peering_id: "901",
  replica_set_id: "rrs00001",
};
const [wireSet] = fixtures.wireService.read_replica_sets;

/** By the shape of an answer: an object on the wire, as the client gives it, and its id. */
const objects = new Map<shapes.Shape, [wire: object, object: object, id: string]>([
  [shapes.Project, [{ id: "prj0000001", name: "shop", plan: "unheard of" }, { id: "prj0000001", name: "shop" }, ""]],
  [shapes.Vpc, [{ ...fixtures.wireVpc, status: "CREATING" }, { ...fixtures.vpc, status: "CREATING" }, "77"]],
  [shapes.Peering, [fixtures.wirePeering, fixtures.peering, "901"]],
  [shapes.Service, [fixtures.wireService, fixtures.service, "svc1234567"]],
  [shapes.ReadReplicaSet, [wireSet ?? {}, fixtures.readReplicaSet, "rrs00001"]],
  [
    shapes.Logs,
    [{ logs: ["two"], last_cursor: "next", lastCursor: "other" }, { logs: ["two"], lastCursor: "next" }, ""],
  ],
]);

/** What the server answers, and what the client makes of it. */
function answerOf({ answer, creates }: Row): { reply: object; gives: unknown } {
  if (answer === undefined) return { reply: { status: 204 }, gives: undefined };
  const isList = typeof answer === "object" && "list" in answer;
  const item = isList ? answer.list : answer;
  const known = typeof item === "object" && "fields" in item ? objects.get(item.fields) : undefined;
  if (known === undefined) return { reply: { json: { message: "ok" } }, gives: undefined };
  const [wire, object, id] = known;
  if (isList) return { reply: { json: [wire] }, gives: [object] };
  return { reply: { json: wire }, gives: creates ? { id, value: object } : object };
}

/** What a call sends, and what it gives, beside what it should send and give. */
async function exchanged(call: (client: Client) => Promise<unknown>, row: Row, path: string, body: unknown) {
  const { reply, gives } = answerOf(row);
  const { client, server } = await openClient([reply]);
  const given = await call(client);
  const sent = server.asked.map(({ method, url, body: text, headers }) => [
    [method, url, text],
    [headers["content-type"], headers.authorization],
  ]);
  const request = [methodOf(row), `/v1${path}`, body === undefined ? "" : JSON.stringify(body)];
  const headers = [body === undefined ? undefined : "application/json", `Bearer ${API_KEY}`];
  return { found: { given, sent }, expected: { given: gives, sent: [[request, headers]] } };
}

const query = (row: Row): string => (row.asks ? `?${new URLSearchParams(row.asks).toString()}` : "");

/** A fork is another service than its parent. */
const parent = { ...ids, service_id: "svc0000000" };

test.each(contract)("$name sends what the contract says, and gives what it answers", async (row) => {
  const own = row.name === "forkService" ? parent : ids;
  const body = row.sends && (JSON.parse(String(filled(JSON.stringify(row.sends), ids))) as unknown);
  const path = `${String(filled(pathOf(row), own))}${query(row)}`;
  const { found, expected } = await exchanged((client) => row.call(client, placesOf(own)), row, path, body);
  expect(found).toStrictEqual(expected);
});

const services = "/projects/prj0000001/services";
const one = `${services}/svc1234567`;
const size = { cpuMillis: "shared", memoryGbs: "shared" } as const;
const wireSize = { cpu_millis: "shared", memory_gbs: "shared" };

test.each<[string, (client: Client) => Promise<unknown>, string, unknown?]>([
  ["createService", (c) => c.services.create({ ...inProject, name: "orders" }), services, { name: "orders" }],
  [
    "createService",
    (c) => c.services.create({ ...inProject, name: "orders", addons: [], ...size }),
    services,
    { name: "orders", addons: [], ...wireSize },
  ],
  [
    "forkService",
    (c) =>
      c.services.forkService({
        ...inProject,
        serviceId: "svc0000000",
        strategy: "PITR",
        targetTime: "2026-02-01T00:00:00Z",
        ...size,
      }),
    `${services}/svc0000000/forkService`,
    { fork_strategy: "PITR", target_time: "2026-02-01T00:00:00Z", ...wireSize },
  ],
  ["setHA", (c) => c.services.setHA({ ...ofService, syncReplicaCount: 0 }), `${one}/setHA`, { sync_replica_count: 0 }],
  [
    "getLogs",
    (c) => c.services.logs({ ...ofService, cursor: "a b/c", search: ["50%"] }),
    `${one}/logs?cursor=a+b%2Fc&search=50%25`,
  ],
])("%s sends no more than it is given", async (name, call, path, body) => {
  const { found, expected } = await exchanged(call, rowNamed(name), path, body);
  expect(found).toStrictEqual(expected);
});

test("the client's operations are those of the contract, each once", () => {
  const inCamelCase = (path: string): string => path.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const routes = operationList.map(({ name, method, path }) => `${name}: ${method} ${path}`);
  expect(routes.toSorted()).toEqual(contract.map(({ name, route }) => `${name}: ${inCamelCase(route)}`).toSorted());
});

test("the client's operations are repeated after an unclear answer if that is the same as once", () => {
  const repeatOf = (row: Row): string => {
    if (methodOf(row) !== "POST") return "idempotent";
    if (row.creates) return "notIdempotent";
    return row.name === "updatePassword" ? "sameValue" : "readFirst";
  };
  const found = operationList.map(({ name, repeat }) => `${name}: ${repeat}`);
  expect(found.toSorted()).toEqual(contract.map((row) => `${row.name}: ${repeatOf(row)}`).toSorted());
});

test("the client's operations that the contract does not show are marked", () => {
  const marked = operationList.filter((operation) => operation.documented).map(({ name }) => name);
  expect(marked.toSorted()).toEqual(documented.map(({ name }) => name).toSorted());
});
