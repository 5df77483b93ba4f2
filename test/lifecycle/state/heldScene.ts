// A service that the state holds twice: as a live entry, and as one that an earlier run left to be deleted.

import { afterEach, beforeEach } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import { type Kept, openWorld, type World } from "../../support/world";

export const urn = (name: string): Values => ({
  __urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::${name}`,
});

/** What the program says of the service. */
export const ARGS = { name: "orders", regionCode: "us-east-1", ...urn("db") };

export let world: World;
export let live: Kept;
/** The entry that an earlier run left to be deleted. */
export let pending: Kept;

/** Starts over before each test. */
export function useHeldScene(): void {
  beforeEach(async () => {
    world = await openWorld();
    live = await world.service.create(ARGS);
    pending = structuredClone(live);
    world.restart();
  });
  afterEach(() => world.close());
}

/** Whether a service is there and not about to go; the one that both entries hold unless another id is given. */
export function isThere(id = live.id): boolean {
  return world.emulator.state().services.some((service) => service.id === id && service.status !== "DELETING");
}

/** As `up --refresh` and `destroy --refresh` do it with every entry, also with those that are about to be deleted. */
export async function refreshBoth(): Promise<void> {
  await Promise.all([live, pending].map((entry) => world.service.refresh(entry)));
  for (const entry of [live, pending]) world.service.compare(entry);
}
