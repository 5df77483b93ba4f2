// GET /projects: a PAT sees the one project it is scoped to, an OAuth user all of its own.

import { action } from "../action";
import * as paths from "../paths";
import { projectWire } from "../wire";

export const getProjects = action({
  operation: "getProjects",
  method: "GET",
  path: paths.projects,
  run({ world, caller }) {
    const visible = world.projects.filter((project) => caller.projectIds.includes(project.id));
    return { status: 200, body: visible.map((project) => projectWire(world, project)) };
  },
});
