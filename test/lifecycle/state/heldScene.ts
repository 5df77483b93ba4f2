// A service that the state holds twice: as a live entry, and as one that an earlier run left to be deleted.

import type { Values } from "../../../provider/domain/values/value";
import { type Kept, openWorld, type World } from "../../support/world";

export const urn = (name: string): Values => ({
  __urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::${name}`,
});

/** What the program says of the service. */
export const ARGS = { name: "orders", regionCode: "us-east-1", ...urn("db") };

export interface HeldScene {
  world: World;
  live: Kept;
  /** The entry that an earlier run left to be deleted. */
  pending: Kept;
  /** Whether a service is there and not about to go; the one that both entries hold unless another id is given. */
  isThere(id?: string): boolean;
  /** As `up --refresh` and `destroy --refresh` do it with every entry, also with those that are about to be deleted. */
  refreshBoth(): Promise<void>;
}

export async function openHeldScene(): Promise<HeldScene> {
  const world = await openWorld();
  const live = await world.service.create(ARGS);
  const pending = structuredClone(live);
  world.restart();
  return {
    world,
    live,
    pending,
    isThere: (id = live.id) =>
      world.emulator.state().services.some((service) => service.id === id && service.status !== "DELETING"),
    async refreshBoth() {
      await Promise.all([live, pending].map((entry) => world.service.refresh(entry)));
      for (const entry of [live, pending]) world.service.compare(entry);
    },
  };
}
