// The planner of services, case by case: what is wanted and what is live in one line, the steps out.

import { describe, expect, test } from "vitest";
import type { ServiceInputs } from "../../provider/kinds/service/inputs";
import { UNKNOWN } from "../../provider/domain/values/value";
import { servicePlanner } from "../../provider/kinds/service/plan";
import type { Live, Plan, Step, Wanted } from "../../provider/plan/step";
import { explain } from "./explain";

type Want = Wanted<ServiceInputs>;
type See = Live<ServiceInputs>;

/** A service as it is made by default. */
const plain: Want & See = {
  name: "orders",
  regionCode: "us-east-1",
  addons: ["time-series"],
  cpuMillis: 500,
  memoryGbs: 2,
  environment: "DEV",
  haReplicas: { replicaCount: 0, syncReplicaCount: 0 },
  vpcId: null,
  poolerEnabled: false,
  paused: false,
  projectId: "p1",
};
const paused: See = { ...plain, paused: true };
const asFork = (serviceId: string): See => ({ ...plain, forkFrom: { serviceId } as never });

const large = { cpuMillis: 1000, memoryGbs: 4 };
const ha = (replicaCount: number, syncReplicaCount?: number): Pick<ServiceInputs, "haReplicas"> => ({
  haReplicas: syncReplicaCount === undefined ? { replicaCount } : { replicaCount, syncReplicaCount },
});

const forkFrom = (serviceId: string): Want => ({ forkFrom: { serviceId, strategy: "NOW" } });

function operations(plan: Plan<ServiceInputs>): string {
  return plan.steps.map((step) => step.operation).join(" ");
}

test.each<[Want, See, string | undefined]>([
  [ha(0), { ...plain, ...ha(2, 1) }, "without a replica nothing takes over when the service fails"],
  [ha(2, 0), { ...plain, ...ha(2, 1) }, "without a synchronous replica a failover can lose the last transactions"],
  [ha(1), { ...plain, ...ha(2, 0) }, undefined],
  [ha(2, 0), { ...plain, ...ha(1, 0) }, undefined],
  [ha(2, 1), { ...plain, ...ha(1, 1) }, undefined],
  [ha(1, 0), { ...plain, haReplicas: null }, undefined],
  [ha(2, 1), { ...plain, ...ha(1) }, undefined],
])("fewer replicas, what it means: %j", (wanted, live, effect) => {
  expect(servicePlanner.plan(wanted, live).steps).toMatchObject([{ operation: "setHA" }]);
  expect(servicePlanner.plan(wanted, live).steps[0]?.effect).toBe(effect);
});

test.each<[string, Want, See, string]>([
  ["nothing wanted", {}, plain, ""],
  ["all as it is", { name: "orders", ...large, environment: "DEV", paused: false }, { ...plain, ...large }, ""],
  ["environment that is not shown", { environment: "DEV" }, { ...plain, environment: null }, "setEnvironment"],
  ["half of the size", { memoryGbs: 4 }, plain, "resize"],
  ["the other half", { cpuMillis: 1000 }, plain, "resize"],
  ["half of a size, where the other half is not known", { cpuMillis: 1000 }, { name: "orders" }, ""],
  ["size of which nothing is known", large, { name: "orders" }, "resize"],
  ["no replicas, where none are shown", ha(0, 0), { ...plain, haReplicas: null }, ""],
  ["no pooler, where none is shown", { poolerEnabled: false }, { name: "orders" }, ""],
  ["a pooler that is not known yet", { poolerEnabled: UNKNOWN as never }, plain, "enablePooler"],
  ["one that may go", { poolerEnabled: UNKNOWN as never }, { ...plain, poolerEnabled: true }, "disablePooler"],
  ["the same replicas, whatever is synchronous", ha(2), { ...plain, ...ha(2, 1) }, ""],
  ["another VPC", { vpcId: "8" }, { ...plain, vpcId: "7" }, "detachFromVPC attachToVPC"],
  ["no VPC, and it is in none", { vpcId: null }, plain, ""],
  ["another VPC, and the one that it is in is not shown", { vpcId: "8" }, { ...plain, hidden: ["vpcId"] }, ""],
  [
    "another VPC than a list shows beside a read that does not",
    { vpcId: "8" },
    { ...plain, vpcId: "7", hidden: ["vpcId"] },
    "detachFromVPC attachToVPC",
  ],
  ["password", { password: "s" }, plain, "updatePassword"],
  ["lifecycle inputs", { deletionProtection: true, onMissing: "error", timeouts: {} }, plain, ""],
])("one input, one call: %s", (_name, wanted, live, expected) => {
  const plan = servicePlanner.plan(wanted, live);
  expect(operations(plan)).toBe(expected);
  expect(plan.steps).toHaveLength(expected.match(/\w+/g)?.length ?? 0);
});

describe("several inputs, one order", () => {
  const everything: Want = {
    password: "s",
    poolerEnabled: true,
    vpcId: "8",
    ...ha(2, 1),
    ...large,
    environment: "PROD",
    name: "bills",
  };
  test.each<[string, Want, See, string]>([
    [
      "everything",
      everything,
      { ...plain, vpcId: "7" },
      "rename setEnvironment resize setHA detachFromVPC attachToVPC enablePooler updatePassword",
    ],
    ["everything, then pause", { ...large, paused: true, name: "bills" }, plain, "rename resize stop"],
    ["resume, then everything", { ...large, paused: false, name: "bills" }, paused, "start rename resize"],
    ["paused and to stay so", { ...large, paused: true }, paused, "start resize stop"],
    ["paused, and nobody manages that", large, paused, "start resize stop"],
    ["paused, and nothing to change", { paused: true }, paused, ""],
    ["not known whether it is paused", { ...large }, { ...plain, paused: null }, "resize"],
  ])("%s", (_name, wanted, live, expected) => {
    expect(operations(servicePlanner.plan(wanted, live))).toBe(expected);
  });

  test("does not depend on the order in which the program says it", () => {
    const shuffled = Object.fromEntries(Object.entries(everything).toReversed());
    expect(explain(servicePlanner.plan(shuffled, plain))).toEqual(explain(servicePlanner.plan(everything, plain)));
  });
});

const request = (wanted: Want, live: See): unknown => servicePlanner.plan(wanted, live).steps[0]?.request;
test.each<[string, Want, See, object]>([
  ["both sizes, whichever changed", { memoryGbs: 4 }, plain, { cpuMillis: 500, memoryGbs: 4 }],
  ["only the counts that are managed", ha(1), plain, { replicaCount: 1 }],
  ["both counts where both are", ha(2, 1), plain, { replicaCount: 2, syncReplicaCount: 1 }],
  ["not a synchronous count that nobody manages", ha(1), { ...plain, ...ha(2, 1) }, { replicaCount: 1 }],
  ["a synchronous count that nobody manages and that would be too high", ha(0), { ...plain, ...ha(2, 1) }, ha0()],
  ["the VPC to leave is the one it is in", { vpcId: "8" }, { ...plain, vpcId: "7" }, { vpcId: "7" }],
])("what is sent: %s", (_name, wanted, live, expected) => {
  expect(request(wanted, live)).toStrictEqual(expected);
});

function ha0(): object {
  return { replicaCount: 0, syncReplicaCount: 0 };
}

describe("proofs", () => {
  const steps: [string, Want, See, See][] = [
    ["rename", { name: "bills" }, plain, { ...plain, name: "bills" }],
    ["setEnvironment", { environment: "PROD" }, plain, { ...plain, environment: "PROD" }],
    ["resize", large, plain, { ...plain, ...large }],
    ["setHA", ha(2, 1), plain, { ...plain, ...ha(2, 1) }],
    ["attachToVPC", { vpcId: "7" }, plain, { ...plain, vpcId: "7" }],
    ["detachFromVPC", { vpcId: null }, { ...plain, vpcId: "7" }, plain],
    ["enablePooler", { poolerEnabled: true }, plain, { ...plain, poolerEnabled: true }],
    ["disablePooler", { poolerEnabled: false }, { ...plain, poolerEnabled: true }, plain],
    ["stop", { paused: true }, plain, paused],
    ["start", { paused: false }, paused, plain],
  ];
  test.each(steps)(
    "%s is the one call for its input, explained, proven by what the server shows, and by nothing else",
    (operation, wanted, before, after) => {
      expect(operations(servicePlanner.plan(wanted, before))).toBe(operation);
      const step = stepOf(servicePlanner.plan(wanted, before), operation);
      expect(step).toMatchSnapshot();
      expect(step.proof?.(before)).toBe(false);
      expect(step.proof?.(after)).toBe(true);
      expect(servicePlanner.plan(wanted, after).steps).toEqual([]);
    },
  );

  test("half of a size is no proof", () => {
    const step = stepOf(servicePlanner.plan(large, plain), "resize");
    expect(step.proof?.({ ...plain, cpuMillis: 1000 })).toBe(false);
    expect(step.proof?.({ ...plain, memoryGbs: 4 })).toBe(false);
    expect(step.proof?.({ name: "orders" })).toBe(false);
  });

  test.each([
    ["disablePooler", { poolerEnabled: false }, { poolerEnabled: true }],
    ["setHA", { haReplicas: { replicaCount: 0 } }, { haReplicas: { replicaCount: 1 } }],
    ["detachFromVPC", { vpcId: null }, { vpcId: "77" }],
  ])("of %s is no value that is not shown", (operation, wanted, live) => {
    expect(stepOf(servicePlanner.plan(wanted, { ...plain, ...live }), operation).proof?.({})).toBe(false);
  });

  test("a password has none: its 2xx is the proof", () => {
    expect(servicePlanner.plan({ password: "s" }, plain).steps).toStrictEqual([
      {
        operation: "updatePassword",
        properties: ["password"],
        request: { password: "s" },
        reason: "password",
        effect: "password will be set",
      },
    ]);
  });

  test("the stop after a change of a paused service is owed after an interruption", () => {
    expect(stepOf(servicePlanner.plan(large, paused), "stop")).toMatchObject({ isRestore: true });
  });
});

test.each<[string, Want, See, string[]]>([
  ["another region", { regionCode: "eu-west-1" }, plain, ["regionCode"]],
  ["the region it has", { regionCode: "us-east-1" }, plain, []],
  ["another project", { projectId: "p2" }, plain, ["projectId"]],
  ["other addons", { addons: [] }, plain, ["addons"]],
  ['"ai", which no server shows', { addons: ["time-series", "ai"] }, plain, []],
  ["addons of a type nobody knows", { addons: [] }, { name: "orders" }, []],
  ["a fork of what is none", forkFrom("x"), plain, ["forkFrom"]],
  ["the fork it is", forkFrom("x"), asFork("x"), []],
  ["a fork of something else", forkFrom("y"), asFork("x"), ["forkFrom"]],
  ["from a size to shared", { cpuMillis: "shared", memoryGbs: "shared" }, plain, ["cpuMillis"]],
  ["shared, where no size is shown", { cpuMillis: "shared", memoryGbs: "shared" }, { name: "orders" }, []],
  ["from shared to a size", large, { ...plain, cpuMillis: "shared", memoryGbs: "shared" }, ["cpuMillis"]],
  ["several", { regionCode: "eu-west-1", projectId: "p2" }, plain, ["regionCode", "projectId"]],
])("what can never change: %s", (_name, wanted, live, expected) => {
  const plan = servicePlanner.plan(wanted, live);
  expect(plan.conflicts.map((conflict) => conflict.property)).toEqual(expected);
  expect(plan.steps).toEqual([]);
  expect(explain(plan).join("\n")).toMatchSnapshot();
});

test.each<[string, Want, See]>([
  ["another VPC", { vpcId: "8" }, { ...plain, vpcId: "7" }],
  ["a password", { password: "never shown" }, plain],
  ["a change of a paused service", { ...large, paused: true }, paused],
])("the explanation of %s", (_name, wanted, live) => {
  expect(explain(servicePlanner.plan(wanted, live)).join("\n")).toMatchSnapshot();
});

function stepOf(plan: Plan<ServiceInputs>, operation: string): Step<ServiceInputs> {
  const step = plan.steps.find((one) => one.operation === operation);
  if (step === undefined) throw new Error(`no step ${operation}`);
  return step;
}

test("each step stands in the rows of the inputs that it changes", () => {
  const all: Want = { name: "new", ...large, environment: "PROD", ...ha(2, 1), vpcId: "v2", poolerEnabled: true };
  const there: See = { ...plain, ...all, paused: true };
  const plans = [
    servicePlanner.plan({ ...all, password: "secret", paused: true }, { ...plain, vpcId: "v1" }),
    servicePlanner.plan({ ...plain, paused: false }, there),
  ];
  const steps = plans.flatMap((plan) => plan.steps);
  const words = new Set(steps.map(({ operation }) => operation));
  for (const { operation, properties } of steps) {
    for (const property of properties) expect(callsOf(property)).toContain(operation);
  }
  expect(words).toEqual(new Set(Object.keys(servicePlanner.rows).flatMap(callsOf)));
});

function callsOf(property: string): readonly string[] {
  return Object.entries(servicePlanner.rows).find(([key]) => key === property)?.[1].calls ?? [];
}
