// API: the contract says that the progress of some replica set changes is observed through the status of the service.
// Whether it really shows there is a switch.

import type { Context } from "./action";
import { startShowing } from "./changes";
import type { Service, ServiceBody } from "./entities";

export function showOnService(
  context: Context,
  service: Service,
  body: ServiceBody,
  ms: number,
  kind: "create" | "resize" | "delete",
): void {
  const shows = context.world.settings.switches.replicaSetOnService;
  if (shows === "never" || (shows === "delete" && kind !== "delete")) return;
  const upgrading = { ...body, status: "UPGRADING" };
  startShowing(context.world, service, context.now, { phases: [{ body: upgrading, ms, busy: true }], after: body });
}
