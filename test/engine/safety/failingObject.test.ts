// On the real engine: one service whose GET always fails, and somebody else's that cannot be read. All other resources are
// made and changed in the time that they take without them.

import type { EngineEvent } from "@pulumi/pulumi/automation";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Service } from "../../../provider/index";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import { logicalNameOf } from "../../support/cli/project";

const RESIZE_MS = 500;
const HEALTHY = ["orders", "bills", "users"];

let world: EngineWorld;

beforeAll(async () => {
  world = await openEngineWorld({ timings: { resize: RESIZE_MS, ha: RESIZE_MS, pooler: RESIZE_MS } });
});

afterAll(() => world.close());

interface Program {
  cpuMillis: number;
  /** Of the failing one; it has more to do than the others, and is the last to be awaited. */
  isChanged?: boolean;
  added?: readonly string[];
}

const program =
  ({ cpuMillis, isChanged = false, added = [] }: Program) =>
  () => {
    const size = { regionCode: "us-east-1", cpuMillis, memoryGbs: cpuMillis / 250 };
    const timeouts = { create: "15s", update: "15s" };
    const healthy = [...HEALTHY, ...added].map((name) => new Service(name, { ...size, timeouts }));
    const changed = { cpuMillis: 2000, memoryGbs: 8, poolerEnabled: true, haReplicas: { replicaCount: 1 } };
    const args = isChanged ? changed : { cpuMillis: 500, memoryGbs: 2 };
    const failing = new Service("failing", { regionCode: "us-east-1", ...args, timeouts: { update: "6s" } });
    return Promise.resolve({ ids: [...healthy, failing].map(({ id }) => id) });
  };

/** How long the engine worked at each resource, and what it printed. */
interface Timed {
  text: string;
  elapsedMs: Record<string, number>;
}

type Stack = Awaited<ReturnType<EngineWorld["open"]>>;

async function timed(stack: Stack): Promise<Timed> {
  const begunMs = new Map<string, number>();
  const run: Timed = { text: "", elapsedMs: {} };
  const onEvent = ({ resourcePreEvent, resOutputsEvent, resOpFailedEvent }: EngineEvent): void => {
    if (resourcePreEvent !== undefined) begunMs.set(resourcePreEvent.metadata.urn, Date.now());
    const urn = (resOutputsEvent ?? resOpFailedEvent)?.metadata.urn;
    if (urn !== undefined) run.elapsedMs[logicalNameOf(urn)] = Date.now() - (begunMs.get(urn) ?? 0);
  };
  const onOutput = (text: string): void => void (run.text += text);
  await stack.runner.up({ onEvent, onOutput }).catch((error: Error) => (run.text += error.message));
  return run;
}

test("a failing object does not delay the others, and the error names it", async () => {
  const stack = await world.open(program({ cpuMillis: 500 }), { project: "failing" });
  await stack.up();
  stack.program(program({ cpuMillis: 1000, added: ["first"] }));
  const alone = await timed(stack);

  const failing = world.emulator.state().services.find(({ name }) => name.startsWith("failing"));
  const isOfFailing = ({ params }: { params: Record<string, string> }): boolean =>
    Object.values(params).includes(failing?.id ?? "");
  const { faults, mutate } = world.emulator;
  faults.add({ kind: "status", status: 500, operation: "getService", match: isOfFailing, times: Infinity });
  mutate.createService({ name: "foreign", wire: { endpoint: { host: "db.example.com", port: "5432" } } });
  stack.program(program({ cpuMillis: 2000, isChanged: true, added: ["first", "second"] }));
  const together = await timed(stack);

  const alike = { first: alone.elapsedMs["orders"], second: alone.elapsedMs["first"] };
  const expectedMs: Record<string, number | undefined> = { ...alone.elapsedMs, ...alike };
  for (const name of [...HEALTHY, "first", "second"]) {
    expect(together.elapsedMs[name]).toBeLessThan((expectedMs[name] ?? 0) + 1_000);
    expect(together.elapsedMs[name]).toBeLessThan(together.elapsedMs["failing"] ?? 0);
  }
  expect(together.text).toMatch(/failing.*\n?.*no answer \(500\)/);
  const sizes = world.emulator.state().services.filter(({ name }) => !/^(failing|foreign)/.test(name));
  expect(sizes.map(({ cpuMillis, status }) => [cpuMillis, status])).toEqual(sizes.map(() => [2000, "READY"]));
  expect(sizes).toHaveLength(HEALTHY.length + 2);

  faults.clear();
  const after = await stack.up();
  expect(after.steps).toEqual(["update failing"]);
});
