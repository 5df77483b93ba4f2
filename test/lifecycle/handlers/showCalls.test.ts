// The calls that `diff` shows where somebody asks for them are those that the update then sends.

import { afterEach, beforeEach, expect, test } from "vitest";
import { diff } from "../../../provider/lifecycle/handlers/diff";
import type { Values } from "../../../provider/domain/values/value";
import { service } from "../../../provider/lifecycle/resources/service";
import { Memory } from "../../../provider/lifecycle/view/runView";
import { openWorld, type World } from "../../support/world";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const base = { name: "orders", cpuMillis: 500, memoryGbs: 2, regionCode: "us-east-1" };

test.each<[Values]>([
  [{ ...base, cpuMillis: 1000, memoryGbs: 4 }],
  [{ ...base, name: "renamed", poolerEnabled: true, environment: "PROD", deletionProtection: false }],
  [{ ...base, haReplicas: { replicaCount: 2, syncReplicaCount: 1 }, password: "a-new-password", paused: true }],
  [{ ...base, onDelete: "stop" }],
])("%j", async (wanted) => {
  const kept = await world.service.create(base);
  const shown: string[][] = [];
  const context = {
    warn: () => undefined,
    progress: () => undefined,
    memory: new Memory(),
    quiet: true,
    adopt: [],
    identity: { key: "orders", name: "orders" },
  };
  const showCalls = (label: string, operations: readonly string[]): void => {
    expect(label).toBe(`service orders (${kept.id})`);
    shown.push([...operations]);
  };
  context.memory.view.checked(context.identity, "service", false);
  diff(service, { ...context, showCalls }, kept.id, kept.outputs, wanted);
  world.emulator.clearRequests();
  await world.service.update(kept, wanted);
  const sent = world.emulator.requests().filter(({ method }) => method !== "GET");
  const words: Record<string, string> = { rename: "renameService" };
  expect(shown.map((calls) => calls.map((call) => words[call] ?? call))).toEqual([
    sent.map(({ operation }) => operation),
  ]);
});
