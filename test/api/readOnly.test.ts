// A read-only client: what changes something is refused before it is sent, by the table of operations.

import { describe, expect, onTestFinished, test } from "vitest";
import type { Emulator } from "../../emulator/index";
import { openAccount } from "../../cli/account";
import { environmentSource } from "../../provider/domain/config/config";
import { type ClientOptions, fromEnvironment, RefusedError } from "../../provider/client";
import { failureOf, ofService, openClient, openEmulated } from "../support/client";
import { textLike, textWith } from "../support/matchers";
import { httpClientFor } from "../emulator/support/httpClient";
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
    hint: textWith("unset DBCLOUD_READ_ONLY"),
  });
  const io = { out: () => undefined, error: () => undefined, cwd: "/", environment };
  const { client } = openAccount([environmentSource({ ...environment, DBCLOUD_READ_ONLY: "0" })], io);
  onTestFinished(() => client.close());
  expect(await failureOf(client.services.stop(ofService))).toMatchObject({
    code: "REFUSED",
    hint: textWith("only reads"),
  });
});

describe("prod", () => {
  const open = (options: Partial<ClientOptions> = {}) => openEmulated({}, { readOnly: "prod", ...options });

  const written = (emulator: Emulator): (string | undefined)[] =>
    emulator.requests().flatMap(({ method, operation }) => (method === "GET" ? [] : [operation]));

  test("changes of what is tagged PROD are refused, those of the rest are sent", async () => {
    const { emulator, client, project } = await open();
    const prod = { ...project, serviceId: emulator.mutate.createService({ environment: "PROD" }).id };
    const dev = { ...project, serviceId: emulator.mutate.createService({ environment: "DEV" }).id };
    const refused = [
      () => client.services.stop(prod),
      () => client.services.delete(prod),
      () => client.services.setEnvironment({ ...prod, environment: "DEV" }),
      () => client.services.updatePassword({ ...prod, password: "n3w-passw0rd" }),
      () => client.readReplicaSets.create({ ...prod, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 }),
      () => client.services.create({ ...project, name: "new", environment: "PROD" }),
      () => client.services.forkService({ ...dev, strategy: "NOW", environment: "PROD" }),
      () => client.services.setEnvironment({ ...dev, environment: "PROD" }),
    ];
    for (const call of refused) expect(await failureOf(call())).toMatchObject({ code: "REFUSED" });
    expect(written(emulator)).toEqual([]);
    // A fork leaves its parent as it is.
    await client.services.forkService({ ...prod, strategy: "NOW", name: "copy" });
    await client.services.enablePooler(dev);
    await client.vpcs.create({ ...project, cidr: "10.1.0.0/24", name: "main", regionCode: "us-east-1" });
    expect(written(emulator)).toEqual(["forkService", "enablePooler", "createVpc"]);
  });

  test("a read replica set counts by its own tag and by its service's", async () => {
    const { emulator, client } = await open();
    const { id: serviceId } = emulator.mutate.createService({ environment: "DEV" });
    const of = (environment: "DEV" | "PROD") => ({
      projectId: emulator.projectId,
      serviceId,
      replicaSetId: emulator.mutate.createReplicaSet(serviceId, { environment }).id,
    });
    expect(await failureOf(client.readReplicaSets.enablePooler(of("PROD")))).toMatchObject({
      message: textLike(/read replica set \S+ is tagged PROD/),
    });
    const own = of("DEV");
    await client.readReplicaSets.enablePooler(own);
    emulator.settle();
    emulator.mutate.service(serviceId, { environment: "PROD" });
    expect(await failureOf(client.readReplicaSets.disablePooler(own))).toMatchObject({
      message: textLike(/service \S+ is tagged PROD/),
    });
  });

  test("a tag that is only recorded counts as well, and what cannot be read is not changed", async () => {
    const { emulator, client } = await open({ isTaggedProd: ({ kind }) => kind === "service" });
    const service = { projectId: emulator.projectId, serviceId: emulator.mutate.createService({}).id };
    expect(await failureOf(client.services.stop(service))).toMatchObject({
      message: textWith(`${service.serviceId} is recorded as tagged PROD`),
    });
    const { emulator: other, client: plain } = await open();
    other.faults.add({ operation: "getService", kind: "status", status: 403, times: Infinity });
    const hidden = { projectId: other.projectId, serviceId: other.mutate.createService({}).id };
    expect(await failureOf(plain.services.stop(hidden))).toMatchObject({ category: "forbidden" });
    expect([...written(emulator), ...written(other)]).toEqual([]);
  });

  test.each([1, 2])(
    "%i answers without a tag, or without the object, are no proof that there is none",
    async (count) => {
      const { emulator, client } = await open();
      const { id } = emulator.mutate.createService({ environment: "PROD" });
      const service = { projectId: emulator.projectId, serviceId: id };
      emulator.faults.add({ operation: "getService", kind: "status", status: 404, times: count });
      expect(await failureOf(client.services.stop(service))).toMatchObject({ code: "REFUSED" });
      const shown = await httpClientFor(emulator).ask(200, "GET", `/projects/${emulator.projectId}/services/${id}`);
      const untagged = { ...shown, metadata: {} };
      emulator.faults.add({ operation: "getService", kind: "garbage", status: 200, body: untagged, times: count });
      expect(await failureOf(client.services.stop(service))).toMatchObject({ code: "REFUSED" });
      expect(written(emulator)).toEqual([]);
    },
  );

  test("a missing object gives the error of the call itself", async () => {
    const { emulator, client } = await open();
    const gone = { projectId: emulator.projectId, serviceId: "nothing000" };
    expect(await failureOf(client.services.stop(gone))).toMatchObject({ category: "notFound", operation: "stop" });
  });
});
