// What the provider itself computes: decoding of a list, and check, diff and plan of one service. The baseline of each is the
// JSON of the same values, so that the bounds hold on any machine.

import { expect, test } from "vitest";
import type { ServiceInputs } from "../provider/kinds/service/inputs.ts";
import { check } from "../provider/core/check.ts";
import { diff } from "../provider/core/diff.ts";
import { Memory } from "../provider/core/runView.ts";
import { service } from "../provider/kinds/service/definition.ts";
import { reportedService } from "../provider/kinds/service/reported.definition.ts";
import { servicePlanner } from "../provider/kinds/service/plan.ts";
import { decode, inputs, listText, stateOf } from "./samples.ts";

const [item] = decode(listText(1));
if (item === undefined) throw new Error("the sample is empty");
const olds = stateOf(item);
const live = reportedService(item).live();

const resized = { ...inputs, cpuMillis: 2000, memoryGbs: 8 };
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
const identity = { key: "urn:pulumi:dev::shop::Service::orders", name: "orders" };
const silent = { warn: () => undefined, progress: () => undefined, quiet: false };
const context = { ...silent, memory: new Memory(), adopt: [], identity };
const hundred = listText(100);
const thousand = listText(1_000);

type Run = () => unknown;
type Row = readonly [title: string, base: string, run: Run, tasks: Record<string, [most: number, run: Run]>];

test.for<Row>([
  [
    "decoding a list",
    "JSON.parse of 1,000",
    () => void JSON.parse(thousand),
    { "1,000 services": [6, () => decode(thousand)] },
  ],
  [
    "decoding ten times as many",
    "100 services",
    () => decode(hundred),
    { "1,000 services": [20, () => decode(thousand)] },
  ],
  [
    "check and diff of one service",
    // The least that the engine's protocol does.
    "JSON of inputs and state, there and back",
    () => void JSON.parse(JSON.stringify([inputs, olds])),
    {
      check: [15, () => check(service, context, inputs, inputs)],
      "diff, unchanged": [15, () => diff(service, context, item.serviceId, olds, inputs)],
      "diff, another size": [15, () => diff(service, context, item.serviceId, olds, resized)],
    },
  ],
  [
    "planning a service",
    "JSON of what is live, there and back",
    () => void JSON.parse(JSON.stringify(live)),
    {
      "nothing to do": [5, () => servicePlanner.plan(inputs, live)],
      "everything changes": [15, () => servicePlanner.plan(everything, live)],
    },
  ],
])("%s takes no more than so many times its baseline", async ([, base, run, tasks], { bench }) => {
  const others = Object.entries(tasks).map(([name, [, task]]) => bench(name, () => void task()));
  const results = await bench.compare(
    bench(base, () => void run()),
    ...others,
    { time: 500 },
  );
  for (const [name, [most]] of Object.entries(tasks)) {
    expect(results.get(name).latency.min).toBeLessThan(most * results.get(base).latency.min);
  }
});
