// Outputs of a class: those that are there from the start, and those that are made when a program reads them.

import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { Service } from "../../provider/index";
import { startProgram, valueOf } from "./program";

const isDeclared = (resource: object, key: string): boolean =>
  Object.getOwnPropertyDescriptor(resource, key)?.value !== undefined;

test("an output that few programs read is there when it is read, and is a promise of no other resource", async () => {
  const program = await startProgram();
  program.answers = { status: "READY", metricExporterId: "m1", resources: [{ id: "r" }] };
  const service = new Service("a", { regionCode: "us-east-1" });
  expect(isDeclared(service, "status")).toBe(false);
  expect(isDeclared(service, "regionCode")).toBe(true);
  expect(service.status).toBe(service.status);
  expect(await valueOf(service.status)).toBe("READY");
  expect(await valueOf(pulumi.all([service.metricExporterId, service.paused]))).toEqual(["m1", undefined]);
  expect(await valueOf(service.resources[0]?.id ?? pulumi.output(""))).toBe("r");
  expect(program.sent).toHaveLength(1);
});

test("an object that is read has all of its outputs at once", async () => {
  const program = await startProgram();
  program.answers = { status: "READY" };
  const service = Service.get("a", "svc1234567");
  expect(isDeclared(service, "status")).toBe(true);
  expect(await valueOf(service.status)).toBe("READY");
});

test("an output on demand that the program marks as secret is secret", async () => {
  const program = await startProgram();
  program.answers = { status: "READY" };
  const service = new Service("a", {}, { additionalSecretOutputs: ["status"] });
  expect(isDeclared(service, "status")).toBe(true);
});
