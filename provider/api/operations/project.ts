// The calls about projects. Contract: "Projects".

import { z } from "zod";
import type { Project } from "../../domain/lookups";
import { list } from "./answer";
import { operation } from "./operation";
import { answeredId, word } from "./wire";

const schema: z.ZodType<Project> = z.object({ id: answeredId, name: word });

export const projectOperations = {
  /** The projects this key may use: one for a personal access token, all of the user's own otherwise. */
  list: operation("GET", "/projects", { name: "getProjects", answer: list({ schema, idKey: "id", nameKey: "name" }) }),
};
