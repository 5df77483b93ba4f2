// A read-only client: what changes something is refused before it is sent, by the table of operations.

import { expect, onTestFinished, test } from "vitest";
import { openAccount } from "../../cli/account";
import { environmentSource } from "../../provider/domain/config/config";
import { fromEnvironment, RefusedError } from "../../provider/client";
import { failureOf, ofService, openClient } from "../support/client";
import { textWith } from "../support/matchers";
import { contract, methodOf } from "../contract/operations";
import { placesOf } from "../contract/walk";

const ids = { project_id: "p", service_id: "s", vpc_id: "1", peering_id: "2", replica_set_id: "r" };

test.each(contract)("$name is refused and not sent if it changes something, else sent", async (row) => {
  const { server, client } = await openClient([{ json: [] }], { readOnly: true });
  const outcome = await Promise.resolve(row.call(client, placesOf(ids))).catch((error: unknown) => error);
  const isRefused = methodOf(row) !== "GET";
  expect([outcome instanceof RefusedError, server.asked.length]).toEqual([isRefused, isRefused ? 0 : 1]);
});

test("the message names the call and how to allow changes again", async () => {
  const { client, server } = await openClient([], { readOnly: true });
  const error = await failureOf(client.services.stop(ofService));
  expect(error).toMatchObject({
    code: "REFUSED",
    message: textWith("stop (services/svc1234567): refused"),
    hint: textWith("`readOnly`"),
  });
  expect(server.asked).toEqual([]);
});

test("an invalid request is reported as invalid, and never quoted", async () => {
  const { client } = await openClient([], { readOnly: true });
  expect(await failureOf(client.services.updatePassword({ ...ofService, password: "" }))).toMatchObject({
    code: "INPUT",
  });
  const error = await failureOf(client.services.updatePassword({ ...ofService, password: "hunter2-hunter2" }));
  expect(JSON.stringify(error) + String(error)).not.toContain("hunter2");
});

test("the environment decides for a client of the environment; a command decides for itself", async () => {
  const environment = { DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1", DBCLOUD_API_KEY: "key-0123456789" };
  const own = fromEnvironment({ ...environment, DBCLOUD_READ_ONLY: "1" });
  onTestFinished(() => own.close());
  expect(await failureOf(own.services.stop(ofService))).toMatchObject({
    code: "REFUSED",
    hint: textWith("Correct DBCLOUD_READ_ONLY in the environment, or unset it"),
  });
  const io = { out: () => undefined, error: () => undefined, cwd: "/", environment };
  const { client } = openAccount([environmentSource({ ...environment, DBCLOUD_READ_ONLY: "0" })], io);
  onTestFinished(() => client.close());
  expect(await failureOf(client.services.stop(ofService))).toMatchObject({
    code: "REFUSED",
    hint: textWith("only reads"),
  });
});

test("any value but a false one of plain JavaScript forbids every change", async () => {
  const { client, server } = await openClient([], { readOnly: "prod" as never });
  expect(await failureOf(client.services.stop(ofService))).toMatchObject({ code: "REFUSED" });
  expect(server.asked).toEqual([]);
});
