// The plan has so many servers, where there are real ones.

import type { Context } from "../action";
import { planLimit } from "../failure";

/** Refuses where so many more servers are too many. */
export function requireRoom({ world }: Context, servers: number): void {
  if (servers > 0 && world.backend.room() < servers) throw planLimit(world.settings.switches.maxServers);
}
