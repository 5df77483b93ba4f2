// Outputs of a class: all are declared, and in a preview without changes those that the object does not have are absent.

import { setImmediate } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test, vi } from "vitest";
import { Peering, Service, Vpc } from "../../provider/index";
import { textLike } from "../support/matchers";
import { listenAlone } from "../support/listeners";
import { startProgram, valueOf } from "./program";

test("outputs ask the engine for nothing, so that an update plan has every call of the up", async () => {
  const program = await startProgram();
  program.answers = { endpoint: { host: "db.example.com", port: 5433 }, status: "READY", initialPassword: "pw" };
  const service = new Service("a", {});
  const monitor = pulumi.runtime.getMonitor();
  if (monitor === undefined) throw new Error("no program runs");
  const calls = vi.spyOn(monitor, "invoke");
  expect(await valueOf(pulumi.all([service.status, service.serviceType]))).toEqual(["READY", undefined]);
  await valueOf(service.connectionString());
  expect(calls).not.toHaveBeenCalled();
  expect(program.sent).toHaveLength(1);
});

test("an input that only the program gives has its value, and none where it gives none", async () => {
  const program = await startProgram({ preview: true });
  program.answers = { onMissing: "error" };
  const read = async (service: Service): Promise<unknown> => valueOf(pulumi.all([service.onMissing, service.waitFor]));
  expect(await read(new Service("none", {}))).toEqual([undefined, undefined]);
  expect(await read(new Service("given", { onMissing: "recreate" }))).toEqual(["error", undefined]);
  // Pulumi: then the engine gives the old inputs.
  expect(await valueOf(new Service("ignored", {}, { ignoreChanges: ["onMissing"] }).onMissing)).toBe("error");
  const transform: pulumi.ResourceTransformation = ({ opts }) => ({ props: { onMissing: "recreate" }, opts });
  expect(await valueOf(new Service("added", {}, { transformations: [transform] }).onMissing)).toBe("error");
});

test.each([false, true])("a function that captures an output has its value: preview %s", async (preview) => {
  const program = await startProgram({ preview });
  program.answers = { status: "READY", initialPassword: pulumi.secret("hunter2-hunter2"), __inputs: "" };
  const service = new Service("a", {});
  const { text } = await pulumi.runtime.serializeFunction(() => [service.status.get(), service.poolerHost.get()]);
  expect(text).toContain("READY");
  expect(text).not.toContain("hunter2");
});

test("an output is an Output for Pulumi, can be read after the run, and a subclass may set it", async () => {
  const program = await startProgram();
  program.answers = { status: "READY" };
  const service = new Service("b", {});
  await startProgram();
  expect(await valueOf(pulumi.interpolate`is ${service.status}`)).toBe("is READY");
  expect(await valueOf(Service.get("a", "svc1234567").status)).toBeUndefined();
  expect(pulumi.Output.isInstance(service.poolerHost)).toBe(true);
  Object.assign(service, { status: pulumi.output("mine") });
  expect(await valueOf(service.status)).toBe("mine");
});

test("the outputs that others contain are made when a program first uses them, and are secret where it says so", async () => {
  const program = await startProgram();
  program.answers = {
    endpoint: { host: "" },
    vpcEndpoint: { host: "10.0.0.9", port: 5433 },
    connectionPooler: { endpoint: { host: "pool.example.com", port: 6432 } },
    initialPassword: pulumi.secret("pw"),
  };
  const service = new Service("a", {}, { additionalSecretOutputs: ["port"] });
  const { host, port, poolerHost, poolerPort, connectionUri, poolerConnectionUri } = service;
  expect(service.host).toBe(host);
  expect(await valueOf(pulumi.all([host, port, poolerHost, poolerPort]))).toEqual([
    "10.0.0.9",
    5433,
    "pool.example.com",
    6432,
  ]);
  expect(await valueOf(connectionUri)).toBe("postgresql://tsdbadmin:pw@10.0.0.9:5433/tsdb?sslmode=require");
  expect(await valueOf(poolerConnectionUri)).toContain("@pool.example.com:6432/");
  const secrets = [pulumi.isSecret(host), pulumi.isSecret(port), pulumi.isSecret(connectionUri)];
  expect(await Promise.all(secrets)).toEqual([false, true, true]);
  expect(Object.keys(service)).toEqual(expect.arrayContaining(["host", "connectionUri"]));
  Object.assign(service, { host: "mine" });
  expect(service.host).toBe("mine");
});

test("a resource that fails rejects its outputs, those that are first used later too, and tells the run", async () => {
  const program = await startProgram();
  const unhandled = new Set<unknown>();
  listenAlone("unhandledRejection", (reason) => unhandled.add(reason));
  program.failing.add("a");
  const service = new Service("a", {});
  await expect(valueOf(service.status)).rejects.toThrow(/refused/);
  await expect(valueOf(service.host)).rejects.toThrow(/refused/);
  await setImmediate();
  expect([...unhandled]).toEqual([expect.objectContaining({ message: textLike(/refused/) })]);
});

describe("in a preview, what an object does not have", () => {
  const isKnown = (output: pulumi.Output<unknown>): Promise<boolean> =>
    (output as pulumi.Output<unknown> & { isKnown: Promise<boolean> }).isKnown;

  test("is undefined if nothing changes, and existing outputs keep their values", async () => {
    const program = await startProgram({ preview: true });
    program.answers = { __inputs: "", endpoint: { host: "h" }, initialPassword: pulumi.secret("pw") };
    const service = new Service("a", {});
    expect(await isKnown(service.poolerHost)).toBe(true);
    expect(await valueOf(service.poolerHost.apply((host) => host ?? "none"))).toBe("none");
    expect(await valueOf(pulumi.all([service.host, service.port]))).toEqual(["h", undefined]);
    expect(await valueOf(pulumi.output({ at: service.poolerHost }))).toEqual({ at: undefined });
    expect(await pulumi.isSecret(service.initialPassword)).toBe(true);
    expect(await isKnown(Service.get("b", "svc1234567").vpcId)).toBe(true);
    expect(await valueOf(Service.get("c", "svc1234567").serviceId)).toBe("svc1234567");
  });

  const vpc = { cidr: "10.0.0.0/24", regionCode: "us-east-1" };
  const peer = { vpcId: "1", peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };

  test("is absent for a VPC and a peering too, also if the program gives the project id", async () => {
    const program = await startProgram({ preview: true });
    program.answers = { __inputs: "" };
    expect(await isKnown(new Vpc("a", vpc).status)).toBe(true);
    expect(await isKnown(new Vpc("given", { ...vpc, projectId: "p1" }).status)).toBe(true);
    const peering = new Peering("b", { ...peer, waitFor: "none" });
    expect(await isKnown(peering.provisionedId)).toBe(true);
    expect(await valueOf(peering.provisionedId.apply((id) => id ?? "none"))).toBe("none");
    expect(await valueOf(peering.waitFor)).toBe("none");
    expect(await isKnown(Peering.get("c", "7", { vpcId: "1" }).errorMessage)).toBe(true);
  });

  test("is unknown if the object changes or does not exist yet", async () => {
    const program = await startProgram({ preview: true });
    expect(await isKnown(new Service("changing", {}).poolerHost)).toBe(false);
    expect(await isKnown(new Vpc("given", { ...vpc, projectId: "p1" }).status)).toBe(false);
    program.pending.add("new");
    expect(await isKnown(new Service("new", {}).poolerHost)).toBe(false);
  });
});
