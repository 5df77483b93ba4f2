// Every action of the control plane, by operation name: the contract's last path word if the contract has the
// operation. All other lists of operations are derived from this one.

import { projectWire } from "../wire/objects";
import { get, paths, type Action } from "./action";
import { logs } from "./logs";
import { peerings } from "./peerings";
import { replicaSets } from "./replicaSets";
import { services } from "./services";
import { vpcs } from "./vpcs";

export const actions = {
  /** A PAT sees the one project it is scoped to, an OAuth user all of the user's projects. */
  getProjects: get(paths.projects, ({ world, caller }) => {
    const visible = world.projects.filter((project) => caller.projectIds.includes(project.id));
    return { status: 200, body: visible.map((project) => projectWire(world, project)) };
  }),
  ...vpcs,
  ...peerings,
  ...services,
  ...logs,
  ...replicaSets,
} satisfies Record<string, Action>;

export type OperationName = keyof typeof actions;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(actions, name);

/** Operations of profile `full`. */
export const operations: readonly OperationName[] = Object.keys(actions).filter(isOperation);

/** The operations of profile `documented`: those in the contract. */
export const documentedOperations = operations.filter((name) => actions[name].offer === "contract");

export type Profile = "full" | "documented";

export const profiles: Readonly<Record<Profile, readonly OperationName[]>> = {
  documented: documentedOperations,
  full: operations,
};
