// GET …/vpcs

import { action } from "../action";
import * as paths from "../paths";
import { seeListed } from "../views";
import { vpcWire } from "../wire";

export const listVpcs = action({
  operation: "listVpcs",
  method: "GET",
  path: paths.vpcs,
  run({ world, project, now }) {
    const listed = [];
    for (const vpc of world.vpcs.values()) {
      const body = vpc.projectId === project.id ? seeListed(vpc, now) : undefined;
      if (body) listed.push(vpcWire(world, vpc, body));
    }
    return { status: 200, body: listed };
  },
});
