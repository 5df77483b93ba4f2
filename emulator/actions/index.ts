// Every action of the control plane, by the name of its operation: the contract's last path word where it has one. All
// other lists of operations follow from this one.

import { account } from "./account";
import type { Action, Offer } from "./action";
import { logs } from "./logs";
import { metrics } from "./metrics";
import { peerings } from "./peerings";
import { projects } from "./projects";
import { replicaSets } from "./replicaSets";
import { services } from "./services";
import { vpcs } from "./vpcs";

export const actions = {
  ...projects,
  ...vpcs,
  ...peerings,
  ...services,
  ...logs,
  ...replicaSets,
  ...account,
  ...metrics,
} satisfies Record<string, Action>;

export type OperationName = keyof typeof actions;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(actions, name);

const offered = (...offers: readonly Offer[]): readonly OperationName[] =>
  Object.keys(actions)
    .filter(isOperation)
    .filter((name) => offers.includes(actions[name].offer));

/** Operations that the contract documents: all there is in profile `documented`. */
export const documentedOperations = offered("contract");

/** Operations that deployments offer although the contract is silent about them. */
export const undocumentedOperations = offered("extension");

/** Operations of profile `full`. */
export const operations = offered("contract", "extension");

/** Operations that only profile `public` has. */
export const publicOperations = offered("public");
