// The words of inputs as the enumerations that programs name which `pulumi import` and `pulumi convert` write. The names are
// those of the schema.

import type * as shared from "../domain/sharedFields";
import type * as peering from "../kinds/peering/inputs";
import type * as service from "../kinds/service/inputs";

/** An extension that a service is created with. */
export type Addon = service.Addon;
export const Addon = { TimeSeries: "time-series", Ai: "ai" } as const satisfies Record<string, Addon>;

/** The environment tag. */
export type Environment = shared.Environment;
export const Environment = { Dev: "DEV", Prod: "PROD" } as const satisfies Record<string, Environment>;

/** The state of the data that a fork copies. */
export type ForkStrategy = service.ForkStrategy;
export const ForkStrategy = { LastSnapshot: "LAST_SNAPSHOT", Now: "NOW", Pitr: "PITR" } as const satisfies Record<
  string,
  ForkStrategy
>;

/** The state that a peering must reach before its dependents start. */
export type PeeringWaitFor = peering.PeeringWaitFor;
export const PeeringWaitFor = {
  Provisioned: "provisioned",
  Active: "active",
  None: "none",
} as const satisfies Record<string, PeeringWaitFor>;

/** What happens if somebody deleted the service elsewhere. */
export const ServiceOnMissing = { Recreate: "recreate", Error: "error" } as const satisfies Record<
  string,
  service.ServiceInputs["onMissing"]
>;
export type ServiceOnMissing = (typeof ServiceOnMissing)[keyof typeof ServiceOnMissing];

/** When a change of a service counts as done. */
export type ServiceWaitFor = service.ServiceWaitFor;
export const ServiceWaitFor = { Ready: "ready", Accepting: "accepting" } as const satisfies Record<
  string,
  ServiceWaitFor
>;
