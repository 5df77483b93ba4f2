// Every action of the control plane, by operation name: the contract's last path word if the contract has the
// operation. All other lists of operations are derived from this one.

import type { Switches } from "../settings/switches";
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

/** Operations of profile `full`. */
export const operations = operationsOf(["contract", "extension"]);

/** Operations that only profile `public` has. */
export const publicOperations = operationsOf(["public"]);

export type Profile = "full" | "documented" | "public";

/** Which operations each profile has, and how they answer unless a switch says otherwise. */
interface ProfileSpec {
  readonly offers: readonly Offer[];
  readonly switches: Partial<Switches>;
}

export const profiles: Readonly<Record<Profile, ProfileSpec>> = {
  documented: { offers: ["contract"], switches: {} },
  full: { offers: ["contract", "extension"], switches: {} },
  public: {
    offers: ["contract", "extension", "public"],
    switches: {
      timeSeriesType: "TIMESCALEDB",
      defaultServiceType: "TIMESCALEDB",
      tieringAndExporters: false,
      basicAuth: true,
    },
  },
};

export const isProfile = (word: string): word is Profile => Object.hasOwn(profiles, word);
