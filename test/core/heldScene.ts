// A service that the state holds twice: as a live entry, and as one that an earlier run left to be deleted.

import { RefusedError } from "../../provider/domain/errors";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { errorOf, urn, useWorld, world } from "./scene";

/** What the program says of the service. */
export const ARGS = { name: "orders", regionCode: "us-east-1", ...urn("db") };
/** The same, which may be replaced. */
export const FREE = { ...ARGS, allowReplace: true };

export let live: Kept;
/** The entry that an earlier run left to be deleted. */
export let pending: Kept;

export function useHeldScene(): void {
  useWorld({}, async () => {
    live = await world.service.create(ARGS);
    pending = structuredClone(live);
    world.restart();
  });
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

/** What is said of an entry whose pending deletion is refused, which must leave the object as it is. */
export async function refusalToDelete(entry: Kept): Promise<string> {
  const error = await errorOf(world.service.removePending(entry));
  const { status } = world.emulator.state().services.find(({ id }) => id === live.id) ?? {};
  return error instanceof RefusedError && status === "READY" ? error.fullMessage : `${String(error)}: ${status}`;
}

/** With other outputs in its state. */
export const storing = (kept: Kept, outputs: Values): Kept => ({ ...kept, outputs: { ...kept.outputs, ...outputs } });
