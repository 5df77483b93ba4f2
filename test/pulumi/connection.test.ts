// Connection strings of services and of read replica sets: their parts, what a preview foresees, and what one that fails
// leaves behind.

import * as pulumi from "@pulumi/pulumi";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { ReadReplicaSet, Service, type ServiceArgs } from "../../provider/index";
import { connectionUrl, refuseImpossible } from "../../provider/pulumi/connection";
import { listenAlone } from "../support/listeners";
import { startProgram, valueOf } from "./program";

const address = { host: "db.example.com", port: 5433 };

test.each([
  ["direct" as const, address],
  ["direct" as const, { endpoint: address }],
  ["direct" as const, { endpoint: { host: "" }, vpcEndpoint: address }],
  ["pooler" as const, { endpoint: address, connectionPooler: { endpoint: address } }],
  ["vpc" as const, { vpcEndpoint: address }],
])("a connection string, %s, of a service that shows %j, in an up and in a preview of it", async (via, answers) => {
  for (const preview of [false, true]) {
    const program = await startProgram({ preview });
    program.answers = { ...answers, initialPassword: "pw", __inputs: "" };
    const url = new Service("a", {}).connectionString({ via });
    expect(await valueOf(url)).toBe("postgresql://tsdbadmin:pw@db.example.com:5433/tsdb?sslmode=require");
    expect(await pulumi.isSecret(url)).toBe(true);
  }
});

const addresses = {
  endpoint: { host: "db.example.com", port: 5432 },
  connectionPooler: { endpoint: { host: "db.example.com", port: 6432 } },
  vpcEndpoint: { host: "10.0.0.9", port: 5433, vpcId: "123" },
};

test("a connection string encodes every character of its parts", async () => {
  const program = await startProgram();
  program.answers = { ...addresses };
  const password = "p@ss:w/o?r#d% ü";
  const service = new Service("db", { password });
  const url = new URL(
    await valueOf(
      service.connectionString({ user: pulumi.output("a/b@c"), database: "my db", sslMode: "verify-full" }),
    ),
  );
  expect(decodeURIComponent(url.password)).toBe(password);
  expect(decodeURIComponent(url.username)).toBe("a/b@c");
  expect(decodeURIComponent(url.pathname)).toBe("/my db");
  expect(url.searchParams.get("sslmode")).toBe("verify-full");
  expect(url.host).toBe("db.example.com:5432");
});

test("a connection string that is not known yet is unknown, not an error", async () => {
  await startProgram({ preview: true });
  const url = new Service("db", { password: "pw" }).connectionString();
  expect(await valueOf(url)).toBeUndefined();
});

test.each([
  ["stays as it is", { __inputs: "", ...addresses }],
  ["changes", {}],
])("in a preview, what is made with a connection string depends on the service: it %s", async (_, answers) => {
  const program = await startProgram({ preview: true });
  program.answers = { ...answers, initialPassword: "initial" };
  const service = new Service("db", {});
  expect(await urnsOf(service.connectionString())).toContain(await valueOf(service.urn));
});

/** What a resource depends on that is made with it. Pulumi: every Output has it, and only the declarations hide it. */
async function urnsOf(output: pulumi.Output<unknown>): Promise<string[]> {
  const whole = output as pulumi.Output<unknown> & { allResources(): Promise<Set<pulumi.Resource>> };
  return Promise.all([...(await whole.allResources())].map(({ urn }) => valueOf(urn)));
}

const adoptions: { said: ServiceArgs; isThere?: boolean; environment?: string; problem: RegExp | undefined }[] = [
  { said: { adoptId: "svc1234567", name: "db" }, problem: /service db: the service is adopted.*set `password`/ },
  { said: { adoptId: pulumi.output("svc1234567") }, problem: /set `password`/ },
  { said: { adoptId: "svc1234567", password: "pw" }, problem: undefined },
  { said: { adoptId: "svc1234567" }, isThere: true, problem: undefined },
  { said: { name: "db" }, problem: undefined },
  { said: { name: "orders" }, environment: "x, orders", problem: /service orders: the service is adopted/ },
  { said: { name: "orders" }, environment: "other", problem: undefined },
];

test.each(adoptions)(
  "in a preview of $said, there: $isThere, DBCLOUD_ADOPT $environment, the password is $problem",
  async ({ said, isThere = false, environment = "", problem }) => {
    const program = await startProgram({ preview: true });
    if (!isThere) program.pending.add("db");
    vi.stubEnv("DBCLOUD_ADOPT", environment);
    const found = await refuseImpossible(new Service("db", {}), said, "direct").then(() => undefined, String);
    vi.unstubAllEnvs();
    expect(found ?? "").toMatch(problem ?? /^$/);
  },
);

test("in a preview, a password from a transformation counts for an adopted service", async () => {
  const program = await startProgram({ preview: true });
  program.pending.add("db");
  const give: pulumi.ResourceTransformation = ({ props, opts }) => ({ props: { ...props, password: "pw" }, opts });
  const said = { adoptId: "svc1234567" };
  const service = new Service("db", said, { transformations: [give] });
  await expect(refuseImpossible(service, said, "direct")).resolves.toBeUndefined();
});

const words = { user: "tsdbadmin", database: "tsdb", sslMode: "require" };

test.each([
  ["db.example.com", "db.example.com"],
  ["::1", "[::1]"],
  ["[2001:db8::1]", "[2001:db8::1]"],
  ["::ffff:10.0.0.9", "[::ffff:10.0.0.9]"],
  ["evil.example:5432/tsdb?sslmode=disable&x=", "evil.example%3A5432%2Ftsdb%3Fsslmode%3Ddisable%26x%3D"],
  ["user@evil.example", "user%40evil.example"],
  ["[::1]:5432/x", "%5B%3A%3A1%5D%3A5432%2Fx"],
])("the host %s of a server adds nothing to the connection string", (host, written) => {
  const made = connectionUrl({ address: { host, port: 5433 }, password: "p" }, "direct", words);
  expect(made).toBe(`postgresql://tsdbadmin:p@${written}:5433/tsdb?sslmode=require`);
});

test.each([
  ["direct" as const, /pulumi refresh/],
  ["pooler" as const, /`poolerEnabled: true`/],
  ["vpc" as const, /`vpcId`/],
])("a missing address for %s, or password, says what to do and no password", (via, advice) => {
  const facts = { name: "orders", address: { host: "db.example.com" }, password: "s3cret" };
  const make = (): unknown => connectionUrl(facts, via, words);
  expect(make).toThrow(advice);
  expect(make).toThrow(/service orders/);
  expect(make).not.toThrow(/s3cret/);
  const open = { name: "orders", address: addresses.endpoint };
  expect(() => connectionUrl(open, via, words)).toThrow(/service orders.*set `password`/);
});

type Via = "direct" | "pooler" | "vpc";

/** What the preview says of an address that cannot come. */
async function problemOf(service: Service, args: ServiceArgs, via: Via): Promise<string | undefined> {
  // Rejections of Outputs are many: the program ends with the first of them, and this is where it comes from.
  return refuseImpossible(service, args, via).then(() => undefined, String);
}

test.each<[what: string, via: Via, args: ServiceArgs, answers: ServiceArgs, missing?: string]>([
  ["a pooler that is switched off", "pooler", { poolerEnabled: false }, {}, "has no connection pooler"],
  ["a pooler switched off by an output", "pooler", { poolerEnabled: pulumi.output(false) }, {}, "has no connection"],
  ["a pooler that is switched on", "pooler", { poolerEnabled: true }, {}],
  ["a pooler that nobody asked for", "pooler", {}, {}, "has no connection pooler: set `poolerEnabled: true`"],
  ["a pooler of what is adopted", "pooler", { adoptId: "svc1234567", password: "s" }, {}],
  ["a VPC that nobody asked for", "vpc", {}, {}, "has no address in a VPC: attach it with `vpcId`"],
  ["a VPC", "vpc", { vpcId: "12345" }, {}],
  ["a pooler that is there already, managed by nobody", "pooler", {}, { poolerEnabled: true }],
])("a preview of a new service foresees the address of %s", async (_name, via, args, answers, missing) => {
  const program = await startProgram({ preview: true });
  program.pending.add("db");
  Object.assign(program.answers, answers);
  const problem = await problemOf(new Service("db", args), args, via);
  const expected = missing && `Error: connectionString of service db: it ${missing}`;
  expect(problem?.slice(0, expected?.length)).toBe(expected);
});

test("a preview of an existing service predicts the outputs that are switched off, and no others", async () => {
  await startProgram({ preview: true });
  const off = { poolerEnabled: false };
  expect(await problemOf(new Service("db", off), off, "pooler")).toContain("has no connection pooler");
  for (const via of ["pooler", "vpc", "direct"] as const)
    expect(await problemOf(new Service(via, {}), {}, via)).toBeUndefined();
});

const args = { serviceId: "svc1234567", nodes: 1, cpuMillis: 500, memoryGbs: 2 };

describe("a connection string of a read replica set", () => {
  test("has the address of the set and the password of its service, and is a secret", async () => {
    const program = await startProgram();
    program.answers = { ...addresses, initialPassword: "made" };
    const readers = new ReadReplicaSet("readers", args);
    const url = readers.connectionString({ service: new Service("db", {}) });
    expect(await valueOf(url)).toBe("postgresql://tsdbadmin:made@db.example.com:5432/tsdb?sslmode=require");
    expect(await pulumi.isSecret(url)).toBe(true);
    const own = readers.connectionString({ service: new Service("own", { password: "p/w" }), via: "pooler" });
    expect(await valueOf(own)).toBe("postgresql://tsdbadmin:p%2Fw@db.example.com:6432/tsdb?sslmode=require");
  });

  test("takes a password where the program has no such service", async () => {
    const program = await startProgram();
    program.answers = addresses;
    const readers = new ReadReplicaSet("readers", args);
    const url = readers.connectionString({ password: pulumi.secret("given"), user: "reporting", database: "shop" });
    expect(await valueOf(url)).toBe("postgresql://reporting:given@db.example.com:5432/shop?sslmode=require");
  });

  test("is an error that names the set, and what is missing", () => {
    const facts = { name: "reports", address: { host: "db.example.com", port: 5432 } };
    const noun = "read replica set";
    expect(() => connectionUrl(facts, "direct", words, noun)).toThrow(
      /read replica set reports: .*give `service`, or `password`/,
    );
    expect(() => connectionUrl({ name: "reports" }, "pooler", words, noun)).toThrow(
      /read replica set reports: it has no connection pooler/,
    );
  });

  test("is refused in the preview of a new set without a pooler", async () => {
    const program = await startProgram({ preview: true });
    program.pending.add("readers");
    const readers = new ReadReplicaSet("readers", args);
    await expect(refuseImpossible(readers, {}, "pooler", "read replica set")).rejects.toThrow(
      "connectionString of read replica set readers: it has no connection pooler",
    );
    expect(await valueOf(readers.connectionString({ password: "p" }))).toBeUndefined();
  });

  test("needs one of both", () => {
    type Given = Parameters<ReadReplicaSet["connectionString"]>[0];
    expectTypeOf<{ via: "pooler" }>().not.toExtend<Given>();
    expectTypeOf<{ password: string; service: Service }>().not.toExtend<Given>();
    expectTypeOf<{ password: string; via: "vpc" }>().not.toExtend<Given>();
  });
});

test("the user and the database of services and sets are plain values, also in a preview", async () => {
  await startProgram({ preview: true });
  for (const resource of [new Service("db", {}), new ReadReplicaSet("readers", args)]) {
    expect([await valueOf(resource.username), await valueOf(resource.database)]).toEqual(["tsdbadmin", "tsdb"]);
  }
});

test("a connection string that fails before the program uses it is no rejection that nobody handles", async () => {
  const program = await startProgram({ preview: true });
  program.pending.add("db");
  const unhandled: unknown[] = [];
  listenAlone("unhandledRejection", (reason) => unhandled.push(reason));
  const url = new Service("db", {}).connectionString({ via: "pooler" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(valueOf(url)).rejects.toThrow("has no connection pooler");
  expect(unhandled).toEqual([]);
});
