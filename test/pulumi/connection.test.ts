// Connection strings of services and of read replica sets: their parts, and what one that fails leaves behind.

import * as pulumi from "@pulumi/pulumi";
import { describe, expect, expectTypeOf, test } from "vitest";
import { ReadReplicaSet, Service } from "../../provider/index";
import { connectionUri } from "../../provider/domain/endpoint";
import { listenAlone } from "../support/listeners";
import { startProgram, valueOf } from "./program";

const address = { host: "db.example.com", port: 5433 };

test.each([
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

test.each([
  ["db.example.com", "db.example.com"],
  ["::1", "[::1]"],
  ["[2001:db8::1]", "[2001:db8::1]"],
  ["::ffff:10.0.0.9", "[::ffff:10.0.0.9]"],
  ["evil.example:5432/tsdb?sslmode=disable&x=", "evil.example%3A5432%2Ftsdb%3Fsslmode%3Ddisable%26x%3D"],
  ["user@evil.example", "user%40evil.example"],
  ["[::1]:5432/x", "%5B%3A%3A1%5D%3A5432%2Fx"],
])("the host %s of a server adds nothing to the connection string", (host, written) => {
  const made = connectionUri({ host, port: 5433 }, "p");
  expect(made).toBe(`postgresql://tsdbadmin:p@${written}:5433/tsdb?sslmode=require`);
});

test.each([
  [
    "direct" as const,
    { endpoint: { port: 5433 } },
    /^connectionString of orders: it has no address yet.*pulumi refresh/,
  ],
  ["pooler" as const, {}, /^connectionString of orders: it has no connection pooler.*`poolerEnabled: true`/],
  ["vpc" as const, {}, /^connectionString of orders: it has no address in a VPC.*`vpcId`/],
  ["direct" as const, { ...addresses, initialPassword: undefined }, /password is unknown here.*or pass `password`/],
])("a missing address or password for %s ends in an error that says what to do", async (via, answers, words) => {
  const program = await startProgram();
  program.answers = { name: "orders", initialPassword: "s3cret", ...answers };
  const url = valueOf(new Service("db", {}).connectionString({ via }));
  await expect(url).rejects.toThrow(words);
  await expect(url).rejects.not.toThrow("s3cret");
});

test("in a preview, what cannot come is unknown, and its error is that of the up", async () => {
  const program = await startProgram({ preview: true });
  program.pending.add("db");
  const service = new Service("db", { poolerEnabled: false, adoptId: "svc1234567" });
  for (const via of ["pooler", "vpc", "direct"] as const) {
    expect(await valueOf(service.connectionString({ via }))).toBeUndefined();
  }
});

const args = { serviceId: "svc1234567", nodes: 1, cpuMillis: 500, memoryGbs: 2 };

test("a connection string refuses another word for the way", async () => {
  await startProgram();
  const wrong: unknown = { via: "poler" };
  expect(() => new Service("db", {}).connectionString(wrong as { via: "pooler" })).toThrow(
    'via: given "poler"; allowed: "direct", "pooler"',
  );
});

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

  test("needs one of both", async () => {
    const program = await startProgram();
    program.answers = addresses;
    const bare = new ReadReplicaSet("readers", args);
    const nothing: unknown = undefined;
    const url = bare.connectionString(nothing as { password: string });
    await expect(valueOf(url)).rejects.toThrow("its password is unknown here");
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
  await startProgram();
  const unhandled: unknown[] = [];
  listenAlone("unhandledRejection", (reason) => unhandled.push(reason));
  const url = new Service("db", {}).connectionString({ via: "pooler" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(valueOf(url)).rejects.toThrow("has no connection pooler");
  expect(unhandled).toEqual([]);
});

test("the string of a resource that a run leaves out is unknown, in an `up` as well", async () => {
  const program = await startProgram();
  program.pending.add("left").add("readers");
  const service = new Service("left", {});
  const readers = new ReadReplicaSet("readers", { serviceId: "svc", nodes: 1, cpuMillis: 500, memoryGbs: 2 });
  for (const one of [service.connectionString(), readers.connectionString({ password: "pw" })]) {
    // Unknown: nothing that depends on it runs, and it is no error.
    expect(await valueOf(one.apply(() => "ran"))).toBeUndefined();
  }
});
