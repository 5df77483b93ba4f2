// Chooses the backend behind the services of an emulator.

import type { Backend, BackendEvents } from "./backend";
import { serverAccount } from "./install/account";
import { keptMajor } from "./install/keptFolder";
import { offBackend } from "./offBackend";
import { openSharedResources } from "./sharedResources";
import { ProcessBackend } from "./processes";

/** "off": no servers. "auto": a PostgreSQL of this machine, else none. `bin`: the one in that folder, or an error. */
export type PostgresOption = "off" | "auto" | { readonly bin: string };

export async function openBackend(
  option: PostgresOption,
  data: string | undefined,
  events: BackendEvents,
  maxServers: () => number,
): Promise<Backend> {
  if (option === "off") return offBackend();
  const account = serverAccount();
  const shared = await openSharedResources(account, option, data);
  if (typeof shared !== "string") return new ProcessBackend(shared, events, maxServers);
  const major = data === undefined ? undefined : await keptMajor(account, data);
  if (major !== undefined) throw new Error(withoutDatabases(String(data), major, shared));
  if (option === "auto") return offBackend(shared);
  throw new Error(`postgres: ${shared}`);
}

/** A READY service whose stored databases cannot be reached would be a false status. */
const withoutDatabases = (data: string, major: number, why: string): string =>
  `postgres: ${data} keeps databases of PostgreSQL ${major}, which no other major version can read (${why}): ` +
  `name the folder of a PostgreSQL ${major}, take another folder for data, or leave the databases alone with "off"`;
