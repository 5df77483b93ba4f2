// No servers behind the endpoints: the state of an object follows from the clock alone, and its addresses lead nowhere.

import { hashOf } from "../controlPlane/world/random";
import type { AddressQuery, Backend, BackendAddress } from "./backend";

/** `missing` says why there is no PostgreSQL although the emulator looked for one. */
export function offBackend(missing?: string): Backend {
  // Both names are reserved, so no resolver knows them. The second one tells people that something is missing.
  const domain = missing === undefined ? "example" : "invalid";
  return {
    state: { kind: "off", missing },
    room: () => Infinity,
    address: (query) => addressIn(`dbcloud.${domain}`, query),
    apply: () => undefined,
    resume: () => Promise.resolve(),
    keepOnly: () => undefined,
    refuse: () => undefined,
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
