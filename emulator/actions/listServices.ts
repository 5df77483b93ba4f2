// GET …/services: written from kept pieces, because everybody who waits for many services reads it.

import { action } from "../action";
import * as paths from "../paths";
import { seeListed } from "../views";
import { serviceText } from "../wire";

export const listServices = action({
  operation: "listServices",
  method: "GET",
  path: paths.services,
  run({ world, project, now }) {
    const isDeletedListed = world.settings.switches.deletedServices === "listed";
    const pieces: string[] = [];
    for (const service of world.services.values()) {
      if (service.projectId !== project.id) continue;
      const body = seeListed(service, now);
      if (!body || (body.status === "DELETED" && !isDeletedListed)) continue;
      pieces.push(serviceText(world, service, body, now));
    }
    return { status: 200, text: `[${pieces.join(",")}]` };
  },
});
