// Every action of the control plane, by operation name: the contract's last path word if the contract has the
// operation. All other lists of operations are derived from this one.

import { account } from "./account";
import type { Action, Offer } from "./action";
import { logs } from "./logs";
import { peerings } from "./peerings";
import { replicaSets } from "./replicaSets";
import { services } from "./services";
import { vpcs } from "./vpcs";

export const actions = {
  ...account,
  ...vpcs,
  ...peerings,
  ...services,
  ...logs,
  ...replicaSets,
} satisfies Record<string, Action>;

export type OperationName = keyof typeof actions;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(actions, name);

export const operationsOf = (offers: readonly Offer[]): readonly OperationName[] =>
  Object.keys(actions)
    .filter(isOperation)
    .filter((name) => offers.includes(actions[name].offer));

/** The operations of profile `documented`: those in the contract. */
export const documentedOperations = operationsOf(["contract"]);

/** Operations that deployments offer although the contract does not document them. */
export const undocumentedOperations = operationsOf(["extension"]);

/** Operations of profile `full`. */
export const operations = operationsOf(["contract", "extension"]);

/** Operations that only profile `public` has. */
export const publicOperations = operationsOf(["public"]);
