// What the provider itself computes: decoding of a list, and check, diff and plan of one service. The baseline of each is the
// JSON of the same values, so that the bounds hold on any machine.

import { expect, test } from "vitest";
import type { ServiceInputs } from "../provider/domain/service.ts";
import { check } from "../provider/lifecycle/handlers/check.ts";
import { diff } from "../provider/lifecycle/handlers/diff.ts";
import { Memory } from "../provider/lifecycle/view/runView.ts";
import { service } from "../provider/lifecycle/resources/service.ts";
import { planService } from "../provider/plan/service.ts";
import { decode, inputs, listText, PROJECT_ID, stateOf } from "./samples.ts";

const [item] = decode(listText(1));
if (item === undefined) throw new Error("the sample is empty");
const olds = stateOf(item);
const live = service.live(item, { projectId: PROJECT_ID });

test("decoding a list of services", async ({ bench }) => {
  const hundred = listText(100);
  const thousand = listText(1_000);
  const results = await bench.compare(
    bench("JSON.parse of 1,000", () => {
      JSON.parse(thousand);
    }),
    bench("100 services", () => {
      decode(hundred);
    }),
    bench("1,000 services", () => {
      decode(thousand);
    }),
    { time: 500 },
  );
  const ofThousand = results.get("1,000 services").latency.min;
  expect(ofThousand).toBeLessThan(6 * results.get("JSON.parse of 1,000").latency.min);
  expect(ofThousand).toBeLessThan(20 * results.get("100 services").latency.min);
});

test("check and diff of one service", async ({ bench }) => {
  const resized = { ...inputs, cpuMillis: 2000, memoryGbs: 8 };
  const identity = { key: "urn:pulumi:dev::shop::Service::orders", name: "orders" };
  const silent = { warn: () => undefined, progress: () => undefined, quiet: false };
  const context = { ...silent, memory: new Memory(), adopt: [], identity };
  const results = await bench.compare(
    // The least that the engine's protocol does.
    bench("JSON of inputs and state, there and back", () => {
      JSON.parse(JSON.stringify([inputs, olds]));
    }),
    bench("check", () => {
      check(service, context, inputs, inputs);
    }),
    bench("diff, unchanged", () => {
      diff(service, context, item.serviceId, olds, inputs);
    }),
    bench("diff, another size", () => {
      diff(service, context, item.serviceId, olds, resized);
    }),
    { time: 500 },
  );
  const base = results.get("JSON of inputs and state, there and back").latency.min;
  for (const name of ["check", "diff, unchanged", "diff, another size"] as const) {
    expect(results.get(name).latency.min).toBeLessThan(15 * base);
  }
});

test("planning a service", async ({ bench }) => {
  const equal = inputs as Partial<ServiceInputs>;
  const everything: Partial<ServiceInputs> = {
    name: "orders-new",
    environment: "DEV",
    cpuMillis: 2000,
    memoryGbs: 8,
    haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    vpcId: "12345",
    poolerEnabled: false,
    password: "a-password-for-the-bench",
    paused: true,
  };
  const results = await bench.compare(
    bench("JSON of what is live, there and back", () => {
      JSON.parse(JSON.stringify(live));
    }),
    bench("nothing to do", () => {
      planService(equal, live);
    }),
    bench("everything changes", () => {
      planService(everything, live);
    }),
    { time: 500 },
  );
  const base = results.get("JSON of what is live, there and back").latency.min;
  expect(results.get("nothing to do").latency.min).toBeLessThan(5 * base);
  expect(results.get("everything changes").latency.min).toBeLessThan(15 * base);
});
