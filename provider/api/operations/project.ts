// The calls about projects. Contract: "Projects".

import { z } from "zod";
import type { Listed } from "../../domain/listed";
import type { Project } from "../../domain/lookups";
import { list as listOf } from "./answer";
import type { Operation } from "./operation";
import { answeredId, word } from "./wire";

const projectSchema: z.ZodType<Project> = z.object({ id: answeredId, name: word });

const list: Operation<void, Listed<Project>> = {
  name: "getProjects",
  method: "GET",
  path: "/projects",
  pieces: ["/projects"],
  documented: true,
  repeat: "idempotent",
  answer: listOf({ schema: projectSchema, idKey: "id", nameKey: "name" }),
};

export const projectOperations = {
  /** The projects this key may use: one for a personal access token, all of the user's own otherwise. */
  list,
};
