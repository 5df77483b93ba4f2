// GET …/services: every service of the project.

import { action } from "../action";
import * as paths from "../paths";
import { serviceListText } from "../written";

export const listServices = action({
  operation: "listServices",
  method: "GET",
  path: paths.services,
  run: ({ world, project, now }) => ({ status: 200, text: serviceListText(world, project.id, now) }),
});
