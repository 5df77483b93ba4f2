// The calls that `diff` shows where somebody asks for them are those that the update then sends.

import { expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import { diff } from "../../../provider/lifecycle/handlers/diff";
import { service } from "../../../provider/lifecycle/resources/service";
import { Memory } from "../../../provider/lifecycle/view/runView";
import { LARGE, SMALL, useWorld, world } from "../scene";

useWorld();

const base = { name: "orders", ...SMALL };

test.each<[Values]>([
  [{ ...base, ...LARGE, name: "renamed", poolerEnabled: true, password: "a-new-password", paused: true }],
  [{ ...base, onDelete: "stop" }],
])("an update to %j sends the calls that `diff` has shown", async (wanted) => {
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
