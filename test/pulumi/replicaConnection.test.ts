// Connection strings of read replica sets, and what a failing connection string leaves behind.

import * as pulumi from "@pulumi/pulumi";
import { describe, expect, expectTypeOf, test } from "vitest";
import { ReadReplicaSet, Service } from "../../provider/index";
import { connectionUrl, refuseImpossible } from "../../provider/pulumi/connection";
import { startProgram, valueOf, type Program } from "./program";

const args = { serviceId: "svc1234567", nodes: 1, cpuMillis: 500, memoryGbs: 2 };

async function programWith(answers: Record<string, unknown> = {}): Promise<Program> {
  const program = await startProgram();
  program.answers = {
    endpoint: { host: "ro.example.com", port: 5432 },
    connectionPooler: { endpoint: { host: "ro.example.com", port: 6432 } },
    ...answers,
  };
  return program;
}

describe("a connection string of a read replica set", () => {
  test("has the address of the set and the password of its service, and is a secret", async () => {
    await programWith({ initialPassword: "made" });
    const readers = new ReadReplicaSet("readers", args);
    const url = readers.connectionString({ service: new Service("db", {}) });
    expect(await valueOf(url)).toBe("postgresql://tsdbadmin:made@ro.example.com:5432/tsdb?sslmode=require");
    expect(await pulumi.isSecret(url)).toBe(true);
    const own = readers.connectionString({ service: new Service("own", { password: "p/w" }), via: "pooler" });
    expect(await valueOf(own)).toBe("postgresql://tsdbadmin:p%2Fw@ro.example.com:6432/tsdb?sslmode=require");
  });

  test("takes a password where the program has no such service", async () => {
    await programWith();
    const readers = new ReadReplicaSet("readers", args);
    const url = readers.connectionString({ password: pulumi.secret("given"), user: "reporting", database: "shop" });
    expect(await valueOf(url)).toBe("postgresql://reporting:given@ro.example.com:5432/shop?sslmode=require");
  });

  test("is an error that names the set, and what is missing", () => {
    const words = { user: "u", database: "d", sslMode: "require" };
    const facts = { name: "reports", address: { host: "ro.example.com", port: 5432 } };
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
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => unhandled.push(reason));
  try {
    const url = new Service("db", {}).connectionString({ via: "pooler" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(valueOf(url)).rejects.toThrow("has no connection pooler");
    expect(unhandled).toEqual([]);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of others) process.on("unhandledRejection", listener);
  }
});
