// Projects: a PAT sees the one project it is scoped to, an OAuth user sees all of the user's projects.

import { projectWire } from "../wire/objects";
import { get } from "./action";
import * as paths from "./request/paths";

export const projects = {
  getProjects: get(paths.projects, ({ world, caller }) => {
    const visible = world.projects.filter((project) => caller.projectIds.includes(project.id));
    return { status: 200, body: visible.map((project) => projectWire(world, project)) };
  }),
};
