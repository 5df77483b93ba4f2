// A service with every setting, and what a refresh by a new process makes of it: for tests of answers that are stale or odd.

import { expect } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import type { Kept, World } from "../../support/world";

export const LARGE = { cpuMillis: 1000, memoryGbs: 4 };
export const ALL = {
  name: "orders",
  cpuMillis: 500,
  memoryGbs: 2,
  environment: "PROD",
  haReplicas: { replicaCount: 1 },
  poolerEnabled: true,
  paused: false,
  deletionProtection: false,
};

/** What is kept of a create or update that must not fail. */
export async function settled(work: Promise<Kept>): Promise<Kept> {
  const kept = await work;
  expect(kept.failed).toBeUndefined();
  return kept;
}

/** The inputs that differ after a refresh by a new process. */
export async function changedInputs(world: World, kept: Kept, args: Values): Promise<string[]> {
  world.restart();
  const seen = await world.service.refresh(kept);
  if (seen === undefined) throw new Error("it is gone");
  expect(seen.outputs).not.toHaveProperty("__drift");
  return world.service.preview(seen, args).properties;
}
