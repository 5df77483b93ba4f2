// DELETE …/services/{service_id}: DELETING, then gone with its replica sets. Asking again while it leaves is fine.

import { action } from "../action";
import { msFor, start } from "../changes";
import { findIdleService, findService } from "../lookups";
import * as paths from "../paths";
import { living } from "../world";

export const deleteService = action({
  operation: "deleteService",
  method: "DELETE",
  path: paths.service,
  run(context) {
    if (findService(context).body.status === "DELETING") return { status: 202 };
    const { entity: service, body } = findIdleService(context);
    const { world, now } = context;
    const ms = msFor(world, "delete", { id: service.id, name: body.name });
    for (const set of service.replicaSets.values()) {
      const setBody = living(set, now);
      if (setBody)
        start(context, set, "deleted", {
          phases: [{ body: { ...setBody, status: "deleting" }, ms, busy: true }],
          after: undefined,
        });
    }
    const leaving = { ...body, status: "DELETING" };
    const isKeptVisible = world.settings.switches.deletedServices !== "404";
    const after = isKeptVisible ? { ...body, status: "DELETED", vpcId: undefined } : undefined;
    start(context, service, "deleted", { phases: [{ body: leaving, ms, busy: true }], after });
    return { status: 202 };
  },
});
