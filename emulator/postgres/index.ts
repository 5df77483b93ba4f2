// Decides what stands behind the services of an emulator.

import type { Backend, BackendEvents } from "./backend";
import { clockBackend } from "./clock";
import { openSharedResources } from "./sharedResources";
import { ProcessBackend } from "./processes";

/** "off": nothing. "auto": what this machine has, else nothing. `bin`: this one, or an error. */
export type PostgresOption = "off" | "auto" | { readonly bin: string };

export async function openBackend(
  option: PostgresOption,
  isKept: boolean,
  events: BackendEvents,
  maxServers: () => number,
): Promise<Backend> {
  if (option === "off") return clockBackend();
  if (isKept) return withoutDatabases(option);
  const shared = await openSharedResources(option);
  if (typeof shared !== "string") return new ProcessBackend(shared, events, maxServers);
  if (option === "auto") return clockBackend(shared);
  throw new Error(`postgres: ${shared}`);
}

/** A world that comes back with empty databases behind READY services would be a lie. */
function withoutDatabases(option: PostgresOption): Backend {
  const why = "databases are not kept with a world (data): leave one of the two out";
  if (option === "auto") return clockBackend(why);
  throw new Error(`postgres: ${why}`);
}
