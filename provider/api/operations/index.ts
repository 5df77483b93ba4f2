// The table of all operations, by group: the client's face, its types and the docs come from it.

import { z } from "zod";
import type { Project } from "../../domain/lookups";
import { list } from "./answer";
import { type Operation, operation } from "./operation";
import { answeredId, word } from "./wire";
import { peeringOperations } from "../../kinds/peering/wire";
import { readReplicaSetOperations } from "../../kinds/readReplicaSet/wire";
import { serviceOperations } from "../../kinds/service/wire";
import { vpcOperations } from "../../kinds/vpc/wire";

const project: z.ZodType<Project> = z.object({ id: answeredId, name: word });

// Contract: "Projects".
const projectOperations = {
  /** The projects this key may use: one for a personal access token, all of the user's own otherwise. */
  list: operation("GET", "/projects", {
    name: "getProjects",
    answer: list({ schema: project, idKey: "id", nameKey: "name" }),
  }),
};

export const operations = {
  projects: projectOperations,
  vpcs: vpcOperations,
  peerings: peeringOperations,
  services: serviceOperations,
  readReplicaSets: readReplicaSetOperations,
};

export type Operations = typeof operations;

/** The operations of one kind of object, by name. */
export type OperationGroup = Readonly<Record<string, Operation<unknown, unknown>>>;

/** The same rows as one list. */
export const operationList: readonly Operation<unknown, unknown>[] = Object.values<OperationGroup>(operations).flatMap(
  (group) => Object.values(group),
);
