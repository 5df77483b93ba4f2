// Answers with a 2xx: open to what is new, closed to what is wrong, and never at the price of a created object.

import { expect, test } from "vitest";
import { type Client, ContractError, type Service, TransportError } from "../../../provider/client";
import { type Listed, unreadableOf } from "../../../provider/domain/listed";
import { bareService, service, vpc, wireBareService, wireService, wireVpc } from "../fixtures";
import { openClient, failureOf, inProject, ofService } from "../../support/client";
import { textLike, textWith } from "../../support/matchers";

const get = async (json: unknown): Promise<unknown> => {
  const { client } = await openClient([{ json }]);
  return client.services.get(ofService);
};

async function listedBy(json: unknown): Promise<Listed<Service>> {
  const { client } = await openClient([{ json }]);
  return client.services.list(inProject);
}

test("a minimal service with unknown words is decoded", async () => {
  expect(await get(wireBareService)).toStrictEqual(bareService);
});

test("null, and an object without values, is no value, everywhere", async () => {
  const optional = Object.keys(wireService).filter((key) => !(key in wireBareService));
  const nulls = Object.fromEntries([...optional, "initial_password", "vpcEndpoint"].map((key) => [key, null]));
  expect(await get({ ...wireBareService, ...nulls })).toStrictEqual(bareService);
  const hollow = {
    metrics: { memory_mb: null, milli_cpu: null, storage_mb: 7 },
    endpoint: { host: null, port: null },
    connection_pooler: { endpoint: null },
    metadata: { environment: null },
    ha_replicas: { replica_count: null },
    resources: [{ id: null, spec: null }, { spec: { cpu_millis: null } }],
  };
  const resources = [{}, { spec: {} }];
  const given = { metrics: { storageMb: 7 }, resources };
  expect(await get({ ...wireBareService, ...hollow })).toStrictEqual({ ...bareService, ...given });
});

test("unknown members are left out, at every depth", async () => {
  const chatty = { ...wireService, surprise: 1, endpoint: { ...wireService.endpoint, scheme: "postgres" } };
  expect(await get(chatty)).toStrictEqual(service);
});

test("the former spelling of a member counts where it is alone", async () => {
  const former = { host: "old.example", port: 1, vpc_id: "1" };
  const { vpc_endpoint: current, ...rest } = wireService;
  expect(await get({ ...rest, vpcEndpoint: former })).toMatchObject({
    vpcEndpoint: { host: "old.example", port: 1, vpcId: "1" },
  });
  expect(await get({ ...rest, vpc_endpoint: current, vpcEndpoint: former })).toMatchObject({
    vpcEndpoint: { host: "10.0.0.9" },
  });
});

test("logs: old servers, null and empty cursors", async () => {
  const page = async (json: unknown): Promise<unknown> => {
    const { client } = await openClient([{ json }]);
    return client.services.logs(ofService);
  };
  expect(await page({ logs: ["a"], lastCursor: "c1" })).toStrictEqual({ logs: ["a"], lastCursor: "c1" });
  expect(await page({ logs: ["a"], last_cursor: null })).toStrictEqual({ logs: ["a"] });
  expect(await page({ logs: null, entries: null, last_cursor: "" })).toStrictEqual({ logs: [] });
});

test("the content type does not matter when the text is JSON", async () => {
  const text = `\ufeff ${JSON.stringify(wireVpc)}\n`;
  const { client } = await openClient([{ text, headers: { "content-type": "text/html" } }]);
  expect(await client.vpcs.get({ ...inProject, vpcId: "77" })).toMatchObject(vpc);
});

test("a list with one id twice has it once: the first", async () => {
  expect(await listedBy([wireBareService, { ...wireBareService, name: "other" }])).toStrictEqual([bareService]);
});

test.each<[name: string, json: unknown, problem: string]>([
  ["a number as text", { ...wireService, endpoint: { port: "5432" } }, "endpoint.port: "],
  ["a missing member", { ...wireBareService, name: undefined }, "name: "],
  ["null for what must be there", { ...wireBareService, status: null }, "status: "],
  ["no id", { ...wireBareService, service_id: "" }, "service_id: expected an id"],
  ["an id that leads elsewhere", { ...wireBareService, service_id: ".." }, "service_id: expected an id"],
  ["another service", { ...wireBareService, service_id: "svc7654321" }, "service_id: it is another service"],
  ["another project's", { ...wireBareService, project_id: "prj9" }, "project_id: it is a service of another project"],
  ["a list for an object", [wireBareService], "expected object, received array"],
  ["a text", "READY", "expected object, received string"],
  ["null", null, "expected object, received null"],
])("%s is against the contract, and named", async (_, json, problem) => {
  const error = await failureOf(get(json));
  expect(error).toBeInstanceOf(ContractError);
  expect(error).toMatchObject({ code: "CONTRACT", operation: "getService", message: textWith(problem) });
});

test("an item that does not fit is named with what is wrong, and the others stand", async () => {
  const odd = { ...wireBareService, service_id: "b", name: "odd", region_code: 5 };
  const services = await listedBy([wireBareService, odd, { ...odd, service_id: 7, name: null }]);
  expect(services.map(({ serviceId }) => serviceId)).toEqual([wireBareService.service_id]);
  expect(services.unreadable).toEqual([
    { id: "b", name: "odd", problem: textWith("region_code: ") },
    { problem: textLike(/^service_id: .*; name: .*; region_code: /) },
  ]);
  // For whoever does not ask, it is the array that it is.
  expect(JSON.parse(JSON.stringify(services))).toHaveLength(1);
});

test("of two with one id, one that cannot be read, the other counts", async () => {
  const services = await listedBy([{ ...wireBareService, status: 1 }, wireBareService]);
  expect([services.length, services.unreadable]).toEqual([1, []]);
});

test("a service of another project is refused, and a list of only such services fails", async () => {
  const foreign = { ...wireBareService, service_id: "b", project_id: "p2" };
  const services = await listedBy([wireBareService, foreign]);
  expect(services.map(({ serviceId }) => serviceId)).toEqual([wireBareService.service_id]);
  expect(services.unreadable).toEqual([{ problem: "project_id: it is a service of another project" }]);
  const error = await failureOf(listedBy([foreign]));
  expect(error).toMatchObject({ code: "CONTRACT", message: textWith("0: project_id") });
});

test("a replica set that cannot be read leaves its service and the other sets readable", async () => {
  const [wireReplicaSet] = wireService.read_replica_sets;
  const read_replica_sets = [wireReplicaSet, { ...wireReplicaSet, id: "odd", nodes: "two" }];
  const [parent] = await listedBy([{ ...wireBareService, read_replica_sets }]);
  expect(parent?.readReplicaSets.map(({ replicaSetId }) => replicaSetId)).toEqual([wireReplicaSet?.id]);
  expect(unreadableOf(parent?.readReplicaSets ?? [])).toMatchObject([{ id: "odd", name: wireReplicaSet?.name }]);
});

test.each([
  ["null", null],
  ["an object", { services: 0 }],
  ["a list of lists", [[]]],
  ["nothing", undefined],
])("%s is no empty list", async (_, json) => {
  expect(await failureOf(listedBy(json))).toBeInstanceOf(ContractError);
});

test("values of an answer are never shown", async () => {
  const secret = "s3cret-value-9";
  const error = await failureOf(get({ ...wireBareService, initial_password: [secret], name: { secret } }));
  expect(error).toBeInstanceOf(ContractError);
  expect(JSON.stringify(error) + String(error)).not.toContain(secret);
});

test.each([
  ["an HTML page", "<!DOCTYPE html><h1>Welcome</h1>", "it is an HTML page"],
  ["a page without a head", "<script>location = '/login'</script>", "it is an HTML page"],
  ["plain words", "all is well", "it is not JSON"],
  ["numbers that are none", JSON.stringify(wireService).replace("5432", "NaN"), "it is not JSON"],
  ["nothing", "", "it is empty"],
])("%s instead of JSON is against the contract", async (_, text, problem) => {
  const { client } = await openClient([{ text }]);
  const error = await failureOf(client.services.get(ofService));
  expect(error).toBeInstanceOf(ContractError);
  expect(error).toMatchObject({ message: textWith(problem), hint: textWith("dbcloud:baseUrl") });
});

test.each([
  ["an object", (client: Client) => client.services.get(ofService)],
  ["a list", (client: Client) => client.services.list(inProject)],
])("the words of a refusal in place of %s say what is wrong", async (_, read) => {
  const { client, server } = await openClient([{ json: { code: 503, message: "the database is down" } }]);
  const error = await failureOf(read(client));
  expect(error).toBeInstanceOf(ContractError);
  expect(error).toMatchObject({ message: textWith("200 503 the database is down") });
  expect(server.asked).toHaveLength(1);
});

test("a page in place of an answer that no caller uses proves no change", async () => {
  const { client } = await openClient([{ text: "<script>location = '/login'</script>" }]);
  const error = await failureOf(client.services.updatePassword({ ...ofService, password: "a-new-password" }));
  expect(error).toMatchObject({ message: textWith("200 an HTML page") });
});

const other = JSON.stringify({ ...wireBareService, service_id: "svc7654321" });
const texts = ["", "OK", "[[[", '{"message":5}', "null", other];
const noErrors = [{ error: null }, { error: false }, { error: "" }, { error: {} }, { code: "" }, { code: null }];
for (const none of noErrors) texts.push(JSON.stringify({ message: "done", ...none }));
test.each(texts)("an answer that no caller uses causes no error: %j", async (text) => {
  const { client } = await openClient([{ text }]);
  const vpcId = "77";
  expect(await client.services.attachToVPC({ ...ofService, vpcId })).toBeUndefined();
  expect(await client.services.resize({ ...ofService, cpuMillis: 1, memoryGbs: 1 })).toBeUndefined();
});

const items = [wireService];
const failure = async (reply: object): Promise<unknown> => {
  const { client } = await openClient([{ json: items, ...reply }]);
  return failureOf(client.services.list(inProject));
};

test.each<[string, object]>([
  ["whose next page a header names", { headers: { link: '<https://db.example/v1?page=2>; rel="next"' } }],
  ["whose next page a header names beside others", { headers: { link: '</1>; rel=prev, </3>; rel="last next"' } }],
  ["whose next page one of two headers names", { headers: { link: ['</1>; rel="prev"', '</3>; rel="next"'] } }],
  ["whose next page a number names", { headers: { "x-next-page": "2" } }],
  ["that is a part by its status", { status: 206 }],
  ["that is an object around the items", { json: { items, next: "abc" } }],
  ["that is an object around no items", { json: { data: [], total: 0 } }],
])("a list %s is refused as cut", async (_how, reply) => {
  expect(await failure(reply)).toMatchObject({
    errorName: "list-cut",
    message: textWith("the list is cut: the answer is one page of several"),
    hint: textWith("have the gateway before it return whole lists"),
  });
});

test.each([{ link: '</1>; rel="prev"' }, { link: '</next>; rel="self"' }, { link: "garbage" }, { "x-next-page": "" }])(
  "a list with the header %j alone is whole",
  async (headers) => {
    const { client } = await openClient([{ json: items, headers }]);
    expect(await client.services.list(inProject)).toHaveLength(1);
  },
);

const deletion = async (reply: object): Promise<unknown> => {
  const { client } = await openClient([reply]);
  return client.services.delete(ofService);
};

test.each([200, 202, 204])("a delete is accepted by %i without a body", async (status) => {
  expect(await deletion({ status })).toBeUndefined();
});

test.each<[string, object]>([
  ["an object", { json: { code: "OK" } }],
  ["a list", { json: [] }],
  ["null", { text: "null" }],
  ["no JSON", { text: "OK" }],
  ["a page", { text: "<html></html>", headers: { "content-type": "text/html" } }],
])("a delete is not accepted by a 202 with %s", async (_what, reply) => {
  const { client } = await openClient([{ status: 202, ...reply }]);
  expect(await failureOf(client.services.delete(ofService))).toBeInstanceOf(ContractError);
});

const foreign = JSON.stringify({ ...wireBareService, project_id: "p2" });
const create = async (text: string): Promise<unknown> => {
  const { client } = await openClient([{ status: 202, text }]);
  return client.services.create({ ...inProject, name: "orders" });
};

test("an id is enough for a created object, and the password comes with it", async () => {
  expect(await create('{"service_id":"svc1234567","initial_password":"pw","status":7}')).toStrictEqual({
    id: "svc1234567",
    initialPassword: "pw",
  });
  expect(await create('{"service_id":"svc1234567","initial_password":7}')).toStrictEqual({ id: "svc1234567" });
});

test.each([
  '{"name":"orders"}',
  '{"service_id":""}',
  '{"service_id":17}',
  '{"service_id":".."}',
  "[]",
  "null",
  foreign,
])("%s has no id of a new service: a ContractError", async (text) => {
  const error = await failureOf(create(text));
  expect(error).toMatchObject({ code: "CONTRACT", operation: "createService" });
});

test("after an answer that was cut off, the outcome of a create is unknown", async () => {
  const error = await failureOf(create('{"service_id":"svc1234'));
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ sent: "maybe", operation: "createService" });
});

test("a fork answer with the id of its parent is refused", async () => {
  const { client } = await openClient([{ json: wireBareService }]);
  const error = await failureOf(client.services.forkService({ ...ofService, strategy: "NOW" }));
  expect(error).toMatchObject({ code: "CONTRACT", message: textWith("not a new one") });
});
