// The planner: called once in every diff, create and update.

import { expect, test } from "vitest";
import type { ServiceInputs } from "../provider/domain/service.ts";
import { service } from "../provider/lifecycle/resources/service.ts";
import { planService } from "../provider/plan/service.ts";
import { decode, inputs, listText, PROJECT_ID } from "./samples.ts";

const [item] = decode(listText(1));
if (item === undefined) throw new Error("the sample is empty");
const live = service.live(item, { projectId: PROJECT_ID });
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

test("planning a service", async ({ bench }) => {
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
