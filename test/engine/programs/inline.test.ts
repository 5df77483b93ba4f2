// The Automation API with an inline program: what an embedding program sees of a run, result by result and event by
// event.

import { type EngineEvent, type Stack } from "@pulumi/pulumi/automation";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Service, Vpc } from "../../../provider/index";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";

let world: EngineWorld;
let stack: Stack;
let size = { cpuMillis: 500, memoryGbs: 2 };

function program(): Promise<Record<string, unknown>> {
  const vpc = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
  const service = new Service("orders", { ...size, vpcId: vpc.vpcId, password: "an-inline-password" });
  return Promise.resolve({ id: service.serviceId, url: service.connectionString(), host: service.vpcEndpoint });
}

beforeAll(async () => {
  world = await openEngineWorld({ timings: { create: 200, attach: 200 } });
  stack = (await world.open(program, { name: "test" })).stack;
});

afterAll(async () => {
  await world.close();
});

test("up returns the outputs, with secrets marked, and shows progress on the row of each resource", async () => {
  const events: EngineEvent[] = [];
  const { outputs, summary } = await stack.up({ onEvent: (event) => events.push(event) });
  expect(summary.resourceChanges).toEqual({ create: 3 });
  const [service] = world.emulator.state().services;
  expect(outputs).toMatchObject({ id: { value: service?.id, secret: false }, url: { secret: true } });
  expect(String(outputs["url"]?.value)).toContain(":an-inline-password@");
  const said = events.flatMap(({ diagnosticEvent }) => (diagnosticEvent?.ephemeral === true ? [diagnosticEvent] : []));
  const onRow = said.filter(({ urn }) => urn?.endsWith("dbcloud:Service::orders"));
  const lines = onRow.map(({ message }) => message.trim().replaceAll(/<\{%[^%]*%\}>/g, ""));
  expect(lines).toEqual(
    expect.arrayContaining([
      "createService: orders-test",
      expect.stringMatching(/^createService: CONFIGURING/),
      `attachToVPC: vpcId nothing → "${service?.vpcId ?? ""}"`,
      expect.stringMatching(/^attachToVPC: READY/),
      expect.stringMatching(/^updatePassword: /),
    ]),
  );
  expect(said.every(({ urn }) => urn?.includes("dbcloud:") === true)).toBe(true);
});

test("an update changes the properties that its preview names", async () => {
  size = { cpuMillis: 1000, memoryGbs: 4 };
  const previewed: unknown[] = [];
  const { changeSummary } = await stack.preview({ onEvent: (event) => previewed.push(...diffsOf(event)) });
  const updated: unknown[] = [];
  const { summary } = await stack.up({ onEvent: (event) => updated.push(...diffsOf(event)) });
  expect(changeSummary).toEqual({ same: 2, update: 1 });
  expect(summary.resourceChanges).toEqual(changeSummary);
  expect(previewed).toEqual([["cpuMillis", "memoryGbs"]]);
  expect(updated).toEqual(previewed);
  expect(world.emulator.state().services).toMatchObject([size]);
});

test("a refresh without drift changes nothing, and a destroy leaves nothing", async () => {
  const { summary } = await stack.refresh();
  expect(summary.resourceChanges).toEqual({ same: 3 });
  await stack.destroy();
  expect(world.emulator.state()).toMatchObject({ vpcs: [], services: [] });
});

function diffsOf({ resourcePreEvent }: EngineEvent): (readonly string[])[] {
  const diffs = resourcePreEvent?.metadata.op === "update" ? resourcePreEvent.metadata.diffs : undefined;
  return diffs === undefined ? [] : [diffs];
}
