// Outputs of a class: those that are there from the start, and those that are made when a program reads them.

import type { AsyncLocalStorage } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, type Mock, test, vi } from "vitest";
import { Peering, Service, type ServiceArgs, Vpc } from "../../provider/index";
import { startProgram, valueOf } from "./program";

/** The properties that the class declares. */
function declaredBy(make: (opts: pulumi.CustomResourceOptions) => Service): string[] {
  let keys: string[] = [];
  const note: pulumi.ResourceTransformation = ({ props }) => {
    keys = Object.keys(props);
    return undefined;
  };
  make({ transformations: [note] });
  return keys;
}

/** What asks the engine for a resource that it has. */
function spyOnReads(): Mock {
  const monitor = pulumi.runtime.getMonitor();
  if (monitor === undefined) throw new Error("no program runs");
  return vi.spyOn(monitor, "invoke");
}

const address = { host: "db.example.com", port: 5433 };

const create = (opts: pulumi.CustomResourceOptions): Service => new Service("a", { regionCode: "us-east-1" }, opts);

describe("under Pulumi's runner", () => {
  const [, script = ""] = process.argv;

  beforeEach(() => {
    process.argv[1] = "/app/node_modules/@pulumi/pulumi/cmd/run/index.js";
  });

  afterEach(() => {
    process.argv[1] = script;
  });

  test("an undeclared output is requested when it is read, and creates no promise in other resources", async () => {
    await startProgram();
    const keys = declaredBy(create);
    expect(keys).toContain("regionCode");
    expect(keys).not.toContain("status");
    const program = await startProgram();
    program.answers = { status: "READY", metricExporterId: "m1", resources: [{ id: "r" }] };
    const service = new Service("b", {});
    expect(await valueOf(service.status)).toBe("READY");
    expect(await valueOf(pulumi.all([service.metricExporterId, service.paused]))).toEqual(["m1", undefined]);
    expect(await valueOf(service.resources[0]?.id ?? pulumi.output(""))).toBe("r");
    expect(program.sent).toHaveLength(1);
  });

  test("outputs that are read before the registration are one request to the engine", async () => {
    const program = await startProgram();
    program.answers = { status: "READY", endpoint: address, vpcId: "v" };
    const service = new Service("b", {});
    const read = spyOnReads();
    expect(await valueOf(pulumi.all([service.status, service.endpoint, service.vpcId]))).toEqual([
      "READY",
      address,
      "v",
    ]);
    expect(read).toHaveBeenCalledTimes(1);
    expect(await valueOf(pulumi.all([service.vpcId, service.serviceType]))).toEqual(["v", undefined]);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test("an address output is declared if the input that causes it is given", async () => {
    await startProgram();
    const given = (args: ServiceArgs): string[] => declaredBy((opts) => new Service("a", args, opts));
    expect(given({ poolerEnabled: true })).toContain("connectionPooler");
    expect(given({ vpcId: "12345" })).toContain("vpcEndpoint");
    expect(given({})).not.toContain("connectionPooler");
    expect(given({})).not.toContain("vpcEndpoint");
  });

  test.each([
    ["direct" as const, address, 0],
    ["direct" as const, { endpoint: address }, 1],
    ["direct" as const, { endpoint: { host: "" }, vpcEndpoint: address }, 2],
    ["pooler" as const, { endpoint: address, connectionPooler: { endpoint: address } }, 1],
    ["vpc" as const, { vpcEndpoint: address }, 1],
  ])("a connection string, %s, of a service that shows %j: it reads what it needs", async (via, answers, reads) => {
    const program = await startProgram();
    program.answers = { ...answers, initialPassword: "pw" };
    const service = new Service("a", {});
    const read = spyOnReads();
    expect(await valueOf(service.connectionString({ via }))).toBe(
      "postgresql://tsdbadmin:pw@db.example.com:5433/tsdb?sslmode=require",
    );
    expect(read).toHaveBeenCalledTimes(reads);
  });

  test("an undeclared output is an Output for Pulumi, and a subclass may set it", async () => {
    const program = await startProgram();
    program.answers = { status: "READY" };
    const service = new Service("a", {});
    expect(pulumi.Output.isInstance(service.status)).toBe(true);
    expect(Reflect.getPrototypeOf(service.status)).toBe(Reflect.getPrototypeOf(service.name));
    expect(await valueOf(pulumi.interpolate`is ${service.status}`)).toBe("is READY");
    Object.assign(service, { status: pulumi.output("mine") });
    expect(await valueOf(service.status)).toBe("mine");
  });

  test("a function that captures one is serialized with its value, and with no secret of the service", async () => {
    const program = await startProgram();
    program.answers = { status: "READY", initialPassword: pulumi.secret("hunter2-hunter2") };
    const service = new Service("a", {});
    const { text } = await pulumi.runtime.serializeFunction(() => service.status.get());
    expect(text).toContain("READY");
    expect(text).not.toContain("WeakMap");
    expect(text).not.toContain("hunter2");
  });

  test("a program whose folder has the same name as Pulumi's runner is not taken for the runner", async () => {
    process.argv[1] = "/app/cmd/run/deploy.js";
    await startProgram();
    expect(declaredBy(create)).toContain("status");
  });

  test("an inline program inside a program declares all outputs, because its resources outlive its engine", async () => {
    await startProgram();
    // Pulumi: an inline program runs with a store of its own.
    const stores = Reflect.get(globalThis, "asyncLocalStorage") as AsyncLocalStorage<unknown>;
    expect(stores.run(Reflect.get(globalThis, "globalStore"), () => declaredBy(create))).toContain("status");
    expect(declaredBy(create)).not.toContain("status");
  });

  test("an output on demand that the program marks as secret is declared", async () => {
    await startProgram();
    expect(declaredBy((opts) => create({ ...opts, additionalSecretOutputs: ["status"] }))).toContain("status");
  });
});

test("an inline program and a unit test can read every output after the run: all are declared", async () => {
  const program = await startProgram();
  program.answers = { status: "READY" };
  expect(declaredBy(create)).toContain("status");
  const service = new Service("b", {});
  await startProgram();
  expect(await valueOf(service.status)).toBe("READY");
});

test("a resource from get has all outputs at once", async () => {
  const program = await startProgram();
  program.answers = { status: "READY" };
  expect(await valueOf(Service.get("a", "svc1234567").status)).toBe("READY");
});

describe("in a preview, what an object does not have", () => {
  const isKnown = (output: pulumi.Output<unknown>): Promise<boolean> =>
    (output as pulumi.Output<unknown> & { isKnown: Promise<boolean> }).isKnown;

  test("is undefined if nothing changes, and existing outputs keep their values", async () => {
    const program = await startProgram({ preview: true });
    program.answers = { created: "2026-01-01T00:00:00Z", host: "h", initialPassword: pulumi.secret("pw") };
    const service = new Service("a", {});
    expect(await isKnown(service.poolerHost)).toBe(true);
    expect(await valueOf(service.poolerHost.apply((host) => host ?? "none"))).toBe("none");
    expect(await valueOf(service.host)).toBe("h");
    expect(await pulumi.isSecret(service.initialPassword)).toBe(true);
    expect(await isKnown(Service.get("b", "svc1234567").vpcId)).toBe(true);
  });

  const vpc = { cidr: "10.0.0.0/24", regionCode: "us-east-1" };
  const peer = { vpcId: "1", peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };

  test("is absent for a VPC and a peering too", async () => {
    const program = await startProgram({ preview: true });
    program.answers = { projectId: "p1" };
    expect(await isKnown(new Vpc("a", vpc).status)).toBe(true);
    const peering = new Peering("b", { ...peer, waitFor: "none" });
    expect(await isKnown(peering.provisionedId)).toBe(true);
    expect(await valueOf(peering.provisionedId.apply((id) => id ?? "none"))).toBe("none");
    expect(await valueOf(peering.waitFor)).toBe("none");
    expect(await isKnown(Peering.get("c", "7", { vpcId: "1" }).errorMessage)).toBe(true);
  });

  test("is unknown for a VPC that changes, and if the program gives the project id", async () => {
    await startProgram({ preview: true });
    expect(await isKnown(new Vpc("changing", vpc).status)).toBe(false);
    expect(await isKnown(new Vpc("given", { ...vpc, projectId: "p1" }).status)).toBe(false);
    const give: pulumi.ResourceTransformation = ({ props, opts }) => ({ props: { ...props, projectId: "p1" }, opts });
    expect(await isKnown(new Vpc("transformed", vpc, { transformations: [give] }).status)).toBe(false);
  });

  test("is unknown if the object changes or does not exist yet", async () => {
    const program = await startProgram({ preview: true });
    expect(await isKnown(new Service("changing", {}).poolerHost)).toBe(false);
    program.answers = { created: "2026-01-01T00:00:00Z" };
    program.pending.add("new");
    expect(await isKnown(new Service("new", {}).poolerHost)).toBe(false);
  });
});
