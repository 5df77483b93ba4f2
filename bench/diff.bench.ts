// The cost of check and diff, which the engine calls one after the other for each resource of a preview. The baseline
// is the minimum work of the engine's protocol with the same values: writing them as JSON and reading them again.

import { expect, test } from "vitest";
import { check } from "../provider/lifecycle/handlers/check.ts";
import { diff } from "../provider/lifecycle/handlers/diff.ts";
import { Memory } from "../provider/lifecycle/view/runView.ts";
import { service } from "../provider/lifecycle/resources/service.ts";
import { decode, inputs, listText, stateOf } from "./samples.ts";

const [item] = decode(listText(1));
if (item === undefined) throw new Error("the sample is empty");
const olds = stateOf(item);
const resized = { ...inputs, cpuMillis: 2000, memoryGbs: 8 };
const context = {
  warn: () => undefined,
  progress: () => undefined,
  memory: new Memory(),
  quiet: false,
  adopt: [],
  identity: { key: "urn:pulumi:dev::shop::Service::orders", name: "orders" },
};

test("check and diff of one service", async ({ bench }) => {
  const results = await bench.compare(
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
  expect(results.get("check").latency.min).toBeLessThan(15 * base);
  expect(results.get("diff, unchanged").latency.min).toBeLessThan(15 * base);
  expect(results.get("diff, another size").latency.min).toBeLessThan(15 * base);
});
