// Chooses the backend behind the services of an emulator.

import { hashOf } from "../controlPlane/world/random";
import type { AddressQuery, Backend, BackendAddress, BackendEvents } from "./backend";
import { serverAccount } from "./install/account";
import { keptMajor } from "./install/keptFolder";
import { openSharedResources, type Place } from "./sharedResources";
import { createProcessBackend } from "./processes";

/**
 * "off": no servers. "auto": a PostgreSQL of this machine, else none. "required": one of this machine, or an error. `bin`:
 * the one in that folder, or an error.
 */
export type PostgresOption = "off" | "auto" | "required" | { readonly bin: string };

export async function openBackend(
  option: PostgresOption,
  place: Place,
  events: BackendEvents,
  maxServers: () => number,
): Promise<Backend> {
  if (option === "off") return offBackend();
  const { data } = place;
  const account = serverAccount();
  const major = data === undefined ? undefined : await keptMajor(account, data);
  const shared = await openSharedResources(account, option === "required" ? "auto" : option, place, major);
  if (typeof shared !== "string") return createProcessBackend(shared, events, maxServers);
  if (major !== undefined) throw new Error(withoutDatabases(String(data), major, shared));
  if (option === "auto") return offBackend(shared);
  throw new Error(`postgres: ${shared}`);
}

/** A READY service whose stored databases cannot be reached would be a false status. */
const withoutDatabases = (data: string, major: number, why: string): string =>
  `postgres: ${data} keeps databases of PostgreSQL ${major}, which no other major version can read (${why}): ` +
  `name the folder of a PostgreSQL ${major}, take another folder for data, or leave the databases alone with "off"`;

/**
 * No servers behind the endpoints: the state of an object follows from the clock alone, and its addresses lead nowhere.
 * `missing` says why there is no PostgreSQL although the emulator looked for one.
 */
function offBackend(missing?: string): Backend {
  // Both names are reserved, so no resolver knows them. The second one tells people that something is missing.
  const domain = missing === undefined ? "example" : "invalid";
  return {
    state: { kind: "off", missing },
    room: () => Infinity,
    address: (query) => addressIn(`dbcloud.${domain}`, query),
    apply: (_, work) => work.finish(undefined),
    resume: () => Promise.resolve(),
    keepOnly: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** Host and port follow from ids, so that they stay the same over a restart of the same seed. */
function addressIn(domain: string, { id, projectId, role, moves, vpcId, name }: AddressQuery): BackendAddress {
  const label = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, "-")
      .replace(/^-|-$/g, "");
  const prefix = name === undefined ? "" : `${label(name)}.`;
  const network = vpcId === undefined ? "pg" : `vpc${label(vpcId)}`;
  const firstPort = role === "direct" ? 30_000 : 40_000;
  return {
    host: `${prefix}${label(id)}.${label(projectId)}.${network}.${domain}`,
    port: firstPort + hashOf(`${id}/${moves}`, 9_000),
  };
}
