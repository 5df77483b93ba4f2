// The limit on real PostgreSQL servers: applies only if real servers run behind the endpoints.

import type { Context } from "../action";
import { planLimit } from "../failure";

/** Refuses if this many more servers exceed the limit. */
export function requireRoom({ world }: Context, servers: number): void {
  if (servers > 0 && world.backend.room() < servers) throw planLimit(world.settings.switches.maxServers);
}
