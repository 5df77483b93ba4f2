// Every answer that is not a 2xx: what it means, how it reads, and what it says to do.

import { expect, test } from "vitest";
import { ApiError } from "../../../provider/client";
import type { Reply } from "../../support/scriptedServer";
import { textLike, textWith } from "../../support/matchers";
import { API_KEY, openClient, failureOf, ofService } from "../../support/client";

async function refused(reply: Reply): Promise<ApiError> {
  const { client } = await openClient([reply]);
  const sizes = { cpuMillis: 1, memoryGbs: 1 };
  const error = await failureOf(client.services.resize({ ...ofService, ...sizes }, { attempts: "once" }));
  if (!(error instanceof ApiError)) throw new Error("not refused", { cause: error });
  return error;
}

const says = (message: string): { message: string } => ({ message });

test.each([
  [400, "badRequest"],
  [401, "auth"],
  [402, "forbidden"],
  [403, "forbidden"],
  [404, "notFound"],
  [405, "absentRoute"],
  [408, "server"],
  [409, "conflict"],
  [410, "notFound"],
  [412, "conflict"],
  [418, "badRequest"],
  [422, "badRequest"],
  [423, "conflict"],
  [425, "conflict"],
  [429, "rate"],
  [500, "server"],
  [501, "absentRoute"],
  [502, "server"],
  [503, "server"],
  [599, "server"],
] as const)("the category of %d is %s", async (status, category) => {
  expect(await refused({ status })).toMatchObject({ code: "API", operation: "resize", status, category });
});

test.each([
  [409, "Service is ALREADY BEING UPDATED, try later", "conflict"],
  [400, "already being updated", "conflict"],
  [500, "already being updated", "conflict"],
  [403, "An operation is in progress on this service", "conflict"],
  [403, "operation in progress", "conflict"],
  [403, "another operation is already in progress", "conflict"],
  [400, "The project holds an exclusive lock", "conflict"],
  [400, "service doesn't yet have any backups or snapshots available", "tooEarly"],
  [500, "service doesn’t yet have any backups or snapshots available", "tooEarly"],
  [400, "no service with that id exists", "notFound"],
  [500, "no service with that id exists", "server"],
  [422, "no VPC with that id was found", "notFound"],
  [409, "the target VPC does not exist", "notFound"],
  [404, "no Endpoint for that service id exists", "server"],
  [404, "missing project permission", "forbidden"],
  [500, "missing project permission", "forbidden"],
  // A key without rights is told nothing about what exists.
  [403, "no service with that id exists", "forbidden"],
  [401, "no service with that id exists", "auth"],
  [401, "already being updated", "auth"],
  [429, "no service with that id exists", "rate"],
] as const)("the category of %d %s is %s", async (status, message, category) => {
  expect(await refused({ status, json: says(message) })).toMatchObject({ category });
});

test("a code alone says that another operation is in progress, whatever the status", async () => {
  for (const code of ["operationInProgress", "OPERATION_IN_PROGRESS"]) {
    const error = await refused({ status: 403, json: { code, message: "try later" } });
    expect(error).toMatchObject({ category: "conflict", saysBusy: true, hint: undefined });
  }
});

test("a call that takes none for an answer gets undefined where there is no such object, and the error of any other answer", async () => {
  const { client } = await openClient([
    { status: 404, json: says("no service with that id exists") },
    { status: 404, json: says("no endpoint for that service id exists") },
    { status: 403 },
  ]);
  const get = (): Promise<unknown> => client.services.get(ofService, { attempts: "once", orNone: true });
  expect(await get()).toBeUndefined();
  expect(await failureOf(get())).toMatchObject({ category: "server" });
  expect(await failureOf(get())).toMatchObject({ category: "forbidden" });
});

test("the message of a refusal names the operation, the object, the status, the server's words and the request", async () => {
  const json = { code: "CONFLICT", message: "already being updated", details: "x" };
  const error = await refused({ status: 409, json, headers: { "x-request-id": "req-1" } });
  expect(error.message).toBe("resize (services/svc1234567): 409 CONFLICT already being updated. Request id req-1");
  expect(error).toMatchObject({ apiCode: "CONFLICT", apiMessage: "already being updated", requestId: "req-1" });
});

test.each([
  ["nothing", "", "500 Internal Server Error."],
  ["HTML", "<html><body>Bad\nGateway</body></html>", "500 an HTML page, perhaps of a proxy."],
  ["plain words", "upstream\n\n  gone\u0007", "500 upstream gone."],
  ["another shape", '{"error":"boom"}', "500 boom."],
  ["a nested shape", '{"error":{"code":"E7","message":"boom!"}}', "500 E7 boom!"],
  ["a problem document", '{"title":"Bad","detail":"worse"}', "500 worse."],
  ["empty words beside details", '{"code":"","message":"","details":"why"}', "500 why."],
  ["details alone", '{"code":"X","details":"why"}', "500 X why."],
  ["a code that is a number", '{"code":17,"message":"boom"}', "500 17 boom."],
  ["JSON that says nothing", '{"a":{"message":"no"}}', "500 Internal Server Error."],
  ["wrong types", '{"code":["x"],"message":{"a":1}}', "500 Internal Server Error."],
  ["a list", "[1]", "500 Internal Server Error."],
])("the message of a refusal with %s", async (_, text, expected) => {
  const error = await refused({ status: 500, text });
  expect(error.message).toBe(`resize (services/svc1234567): ${expected}`);
});

test("the message of a refusal is cut to a readable length, and never empty", async () => {
  const { message } = await refused({ status: 400, json: says("long ".repeat(10_000)) });
  expect(message.length).toBeLessThan(400);
  expect(message).toContain("long…");
  expect((await refused({ status: 499 })).message).toContain("499 without a message");
});

test("the message of a refusal never repeats the key, however it is wrapped", async () => {
  const forms = [API_KEY, `Bearer ${API_KEY}`, encodeURIComponent(API_KEY), Buffer.from(API_KEY).toString("base64")];
  const error = await refused({
    status: 401,
    json: { code: API_KEY, message: `bad key: ${forms.join(", ")}; Authorization: bearer other-token` },
    headers: { "x-request-id": API_KEY },
  });
  const everything = JSON.stringify(error) + String(error) + error.fullMessage;
  for (const form of [...forms, "other-token"]) expect(everything).not.toContain(form);
  expect(error.message).toContain("[secret]");
});

test("the message of a refusal never repeats the password that was to be set", async () => {
  const password = 'p"w\\é &<x';
  const { client } = await openClient([{ status: 422, json: says(`weak: ${password} ${JSON.stringify(password)}`) }]);
  const error = await failureOf(client.services.updatePassword({ ...ofService, password }));
  expect(error).toMatchObject({ apiMessage: "[secret]" });
});

test("a refusal that is sent as a success shows no text with the key in it either", async () => {
  const { client } = await openClient([{ status: 200, json: { code: "QUOTA", message: `none for ${API_KEY}` } }]);
  const error = await failureOf(client.services.enablePooler(ofService));
  expect(error).toMatchObject({ code: "CONTRACT", said: "200 [secret]" });
  expect(JSON.stringify(error) + String(error)).not.toContain(API_KEY);
});

test.each([401, 403])("the hint of a %i says what its client knows of the key", async (status) => {
  const { hint } = await refused({ status });
  expect(hint).toContain("Give another `apiKey`");
});

test.each(["<html>not here</html>", "404 page not found", ""])(
  "the hint of a foreign 404, %j, names the address",
  async (text) => {
    const { hint } = await refused({ status: 404, text });
    expect(hint).toContain("DBCLOUD_BASE_URL");
    expect(hint).toContain("/v1/projects/prj0000001/services/svc1234567/resize");
  },
);

test.each([
  [403, "the plan of this account has no read replicas"],
  [402, "pay first"],
  [400, "the service is not in a state for that"],
  [412, "etag mismatch"],
])("the hint of a %i whose words say something else is none: %s", async (status, words) => {
  expect((await refused({ status, json: says(words) })).hint).toBeUndefined();
});

test("the hint is given for an id and for a proxy that wants credentials, and not where there is nothing to do", async () => {
  expect((await refused({ status: 404, json: says("no service with that id exists") })).hint).toMatch(/^Check the id/);
  expect((await refused({ status: 409 })).hint).toBeUndefined();
  expect((await refused({ status: 407 })).hint).toContain("HTTPS_PROXY");
});

test("the hint names the address where it lacks the version", async () => {
  const { server } = await openClient([{ status: 404, json: says("no such route") }]);
  const { client } = await openClient([], { baseUrl: server.baseUrl.replace("/v1", "") });
  const error = await failureOf(client.services.list({ projectId: "p1" }));
  expect(error).toMatchObject({ hint: textWith("ends in the version segment") });
});

test.each([301, 302, 303, 307, 308])("a redirect by %d is not followed or repeated: the key stays", async (status) => {
  const { server: elsewhere } = await openClient([{ json: [] }]);
  const { client, server } = await openClient([
    { status, headers: { location: `${elsewhere.baseUrl}/login?key=x` } },
    { status, headers: { location: "http://[" } },
  ]);
  const error = await failureOf(client.projects.list());
  expect(error).toMatchObject({ code: "API", status, category: "badRequest" });
  expect(error).toMatchObject({
    message: textLike(new RegExp(`redirects to http://127.0.0.1:${elsewhere.port};`)),
    hint: textWith(`${server.baseUrl}/projects`),
  });
  expect(await failureOf(client.projects.list())).toMatchObject({ message: textWith("another place") });
  expect([server.asked.length, elsewhere.asked.length]).toEqual([2, 0]);
});
