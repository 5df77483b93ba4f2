// The mistakes of a first week, with all that each prints: what is wrong, why, and what to do.

import { expect, test, vi } from "vitest";
import { sectionsIn } from "../../provider/domain/explain";
import { messageOf, ProviderError } from "../../provider/domain/errors";
import type { Values } from "../../provider/domain/values/value";
import { createHost } from "../../provider/host/host";
import { getService, Service } from "../../provider/index";
import { resources } from "../../provider/kinds/index";
import { check } from "../../provider/core/check";
import type { Resource } from "../../provider/core/kind";
import { Memory } from "../../provider/core/runView";
import { useWorld, world } from "../core/scene";
import { startProgram, valueOf } from "../pulumi/program";
import { textOf } from "../support/repository";

const projects = ["proj000001", "proj000002"].map((id) => ({ id, name: id }));
useWorld({ projects, callers: [{ token: "of-a-user", kind: "oauth" }] });

const { service, vpc, peering, readReplicaSet } = resources;
const AS_TEXT = "Calling [toString] on an [Output<T>] is not supported.";
const FORK = { serviceId: "abcdefghij" };

/** What the preview says of these inputs. */
const inputs =
  (resource: Resource, news: Values, olds: Values = {}) =>
  (): Promise<string> => {
    const context = { memory: new Memory(), adopt: [], identity: { key: "db", name: "db" } };
    const { failures, warnings } = check(resource, { ...context, defaultName: "shop-db-dev" }, olds, news);
    return Promise.resolve([...failures, ...warnings.map((text) => `warning: ${text}`)].join("\n"));
  };

/** What `up` says in this environment. */
const create = (args: Values, given: Record<string, string> = {}) =>
  saidBy(async () => {
    const { baseUrl, apiKey, projectId } = world.emulator;
    const all = { DBCLOUD_BASE_URL: baseUrl, DBCLOUD_API_KEY: apiKey, DBCLOUD_PROJECT_ID: projectId, ...given };
    const handlers = createHost({ environment: all, argv: [], console }).provider("service");
    const __urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::db";
    await handlers.create({ ...args, __urn });
  });

async function saidBy(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return error instanceof ProviderError ? error.fullMessage : messageOf(error);
  }
  return "";
}

/** A call of plain JavaScript, which no compiler has seen. */
const call = (work: () => unknown) => async (): Promise<string> => {
  await startProgram({ asksApi: true });
  vi.stubEnv("DBCLOUD_BASE_URL", world.emulator.baseUrl);
  vi.stubEnv("DBCLOUD_API_KEY", world.emulator.apiKey);
  return saidBy(work);
};
const untyped = (value: unknown): never => value as never;

const MISTAKES: Readonly<Record<string, () => Promise<string>>> = {
  "the word of another provider": inputs(service, { region: "us-east-1" }),
  "a letter left out": inputs(service, { regonCode: "us-east-1" }),
  "a required input left out": inputs(vpc, { regionCode: "us-east-1" }),
  "numbers as texts": inputs(service, { cpuMillis: "500", memoryGbs: "2" }),
  "units in a number": inputs(service, { cpuMillis: "1000m", memoryGbs: "4Gi" }),
  "one size of two": inputs(service, { cpuMillis: 500 }),
  "a number for an object": inputs(service, { haReplicas: 2 }),
  "more synchronous replicas than replicas": inputs(service, { haReplicas: { replicaCount: 1, syncReplicaCount: 2 } }),
  "another word for an environment": inputs(service, { environment: "production" }),
  "a text for a list": inputs(service, { addons: "ai" }),
  "PITR without a time": inputs(service, { forkFrom: { ...FORK, strategy: "PITR" } }),
  "a time without a zone": inputs(service, { forkFrom: { ...FORK, strategy: "PITR", targetTime: "2026-01-31 12:00" } }),
  "a Date": inputs(service, { forkFrom: { ...FORK, strategy: "PITR", targetTime: new Date(0) } }),
  "a time for a fork of now": inputs(service, {
    forkFrom: { ...FORK, strategy: "NOW", targetTime: "2026-01-31T12:00:00Z" },
  }),
  "an Output in a string": inputs(service, { password: AS_TEXT }),
  "an account id as a number": inputs(peering, {
    vpcId: "1",
    peerAccountId: 1234,
    peerRegionCode: "us-east-1",
    peerVpcId: "v",
  }),
  "nodes as a text": inputs(readReplicaSet, { serviceId: "s", nodes: "two", cpuMillis: 500, memoryGbs: 2 }),
  "a region that is to change": inputs(service, { regionCode: "eu-west-1" }, { regionCode: "us-east-1" }),
  "no key": () => create({ name: "orders" }, { DBCLOUD_API_KEY: "" }),
  "no address": () => create({ name: "orders" }, { DBCLOUD_BASE_URL: "" }),
  "an address without its version": () =>
    create({ name: "orders" }, { DBCLOUD_BASE_URL: new URL(world.emulator.baseUrl).origin }),
  "a wrong key": () => create({ name: "orders" }, { DBCLOUD_API_KEY: "wrong" }),
  "two projects and none chosen": () =>
    create({ name: "orders" }, { DBCLOUD_API_KEY: "of-a-user", DBCLOUD_PROJECT_ID: "" }),
  "the name of another project's service": () => {
    world.emulator.mutate.createService({ name: "orders" });
    return saidBy(() => world.service.create({ name: "orders" }));
  },
  "a change in read-only mode": () => create({ name: "orders" }, { DBCLOUD_READ_ONLY: "1" }),
  "a delete of a protected service": async () => {
    const kept = await world.service.create({ name: "orders", environment: "PROD" });
    return saidBy(() => world.service.remove(kept));
  },
  "an id that nothing has": () => create({ name: "orders", adoptId: "nobody0000" }),
  "an address that there is not": call(() =>
    valueOf(new Service("db", { name: "db" }).connectionString({ via: "pooler" })),
  ),
  "a misspelt argument of a function, from plain JavaScript,": call(() =>
    getService(untyped({ serviceID: "abcdefghij" })),
  ),
  "a resource without a name": call(() => new Service(untyped({ regionCode: "us-east-1" }))),
  "the option import": call(() => new Service("db", {}, untyped({ import: "abcdefghij" }))),
};

const names = sectionsIn(textOf("docs/errors.md")).flatMap(({ sections }) => sections.map(({ name }) => name));

test.each(Object.entries(MISTAKES))("%s is answered with what is wrong, why, and what to do", async (_name, print) => {
  const text = (await print()).replaceAll(world.emulator.baseUrl, "http://127.0.0.1:1234/api/v1");
  expect(text.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:1234")).toMatchSnapshot();
  const failures = text.split("\n").filter((line) => !line.startsWith("warning: "));
  expect(
    failures.length === 0 ||
      names.includes(/^More: npx pulumi-dbcloud explain (.+)$/.exec(failures.at(-1) ?? "")?.[1] ?? ""),
  ).toBe(true);
  expect(text).not.toMatch(/TypeError|undefined|\[object|^ +at /m);
});
