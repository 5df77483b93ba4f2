// Answers to changes and creates: an odd one never costs a created object.

import { describe, expect, test } from "vitest";
import { TransportError } from "../../../provider/client";
import { wireBareService } from "../fixtures";
import { openClient, failureOf, inProject, ofService } from "../../support/client";

const other = JSON.stringify({ ...wireBareService, service_id: "svc7654321" });
const texts = ["", "<html>done</html>", "OK", "[[[", '{"message":5}', "null", other];
test.each(texts)("an answer that no caller uses causes no error: %j", async (text) => {
  const { client } = await openClient([{ text }]);
  const vpcId = "77";
  expect(await client.vpcs.delete({ ...inProject, vpcId })).toBeUndefined();
  expect(await client.services.attachToVPC({ ...ofService, vpcId })).toBeUndefined();
  expect(await client.services.resize({ ...ofService, cpuMillis: 1, memoryGbs: 1 })).toBeUndefined();
});

describe("created", () => {
  const foreign = JSON.stringify({ ...wireBareService, project_id: "p2" });
  const create = async (text: string): Promise<unknown> => {
    const { client } = await openClient([{ status: 202, text }]);
    return client.services.create({ ...inProject, name: "orders" });
  };

  test("an id is enough, and the password comes with it", async () => {
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

  test("after an answer that was cut off, the outcome is unknown", async () => {
    const error = await failureOf(create('{"service_id":"svc1234'));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ sent: "maybe", operation: "createService" });
  });

  test("a fork answer with the id of its parent is refused", async () => {
    const { client } = await openClient([{ json: wireBareService }]);
    const error = await failureOf(client.services.forkService({ ...ofService, strategy: "NOW" }));
    expect(error).toMatchObject({ code: "CONTRACT", message: expect.stringContaining("not a new one") as string });
  });
});
