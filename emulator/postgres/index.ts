// Decides what stands behind the services of an emulator.

import type { Backend, BackendEvents } from "./backend";
import { clockBackend } from "./clock";
import { openHouse } from "./house";
import { ProcessBackend } from "./processes";

/** "off": nothing. "auto": what this machine has, else nothing. `bin`: this one, or an error. */
export type PostgresOption = "off" | "auto" | { readonly bin: string };

export async function openBackend(
  option: PostgresOption,
  events: BackendEvents,
  maxServers: () => number,
): Promise<Backend> {
  if (option === "off") return clockBackend();
  const house = await openHouse(option);
  if (typeof house !== "string") return new ProcessBackend(house, events, maxServers);
  if (option === "auto") return clockBackend(house);
  throw new Error(`postgres: ${house}`);
}
