// How long each change takes, in milliseconds of the emulator's clock.

import { hashOf } from "../world/random";

/** Milliseconds: a number, a range spread evenly and deterministically over the objects, or a function of the object. */
export type Duration =
  | number
  | readonly [fromMs: number, toMs: number]
  | ((object: { id: string; name: string }) => number);

/** How long each change takes, in milliseconds of the emulator's clock. `Infinity`: it never ends by itself. */
export interface Timings {
  /** Time a new service or fork spends as QUEUED. */
  queued: Duration;
  /** Time a new service spends as CONFIGURING after that. */
  create: Duration;
  /** Time a fork spends as CONFIGURING, in place of `create`. */
  fork: Duration;
  /** Time until a service has its new size. */
  resize: Duration;
  /** Time until a service has its new number of replicas. */
  ha: Duration;
  /** Time until a service is in its VPC. */
  attach: Duration;
  /** Time until a service is out of its VPC. */
  detach: Duration;
  /** Time until the pooler of a service or replica set is on or off. */
  pooler: Duration;
  /** Time until a service is PAUSED. */
  stop: Duration;
  /** Time until a paused service is READY again. */
  start: Duration;
  /** Time a service spends as DELETING. */
  delete: Duration;
  /** Time until a new replica set is ready. */
  replicaCreate: Duration;
  /** Time until a replica set has its new size. */
  replicaResize: Duration;
  /** Time a replica set spends as DELETING. */
  replicaDelete: Duration;
  /** Time from CREATING to CREATED; only with the switch `vpcStatus`, otherwise a VPC is created at once. */
  vpcCreate: Duration;
  /** Time until a deleted VPC is gone. */
  vpcDelete: Duration;
  /** Time until a peering has its `provisioned_id`; its VPC is busy until then. */
  peeringProvision: Duration;
  /** Time from there until the peer's owner accepts; `Infinity`: only `mutate.peering` makes it active. */
  peeringActive: Duration;
  /** Time until a deleted peering is gone. */
  peeringDelete: Duration;
  /** Time from READY until the first backup, which forks from `LAST_SNAPSHOT` and read replica sets need. */
  firstBackup: Duration;
}

/**
 * Of each step, a time that is short enough for tests and long enough that a poll sees the statuses in between; and one
 * for people who watch, the default of the command.
 */
const usual: { readonly [K in keyof Timings]: readonly [tests: number, people: number] } = {
  queued: [10, 1_000],
  create: [40, 4_000],
  fork: [40, 5_000],
  resize: [40, 4_000],
  ha: [40, 4_000],
  attach: [40, 3_000],
  detach: [40, 3_000],
  pooler: [20, 1_500],
  stop: [20, 2_000],
  start: [20, 2_000],
  delete: [30, 2_000],
  replicaCreate: [40, 4_000],
  replicaResize: [40, 3_000],
  replicaDelete: [30, 2_000],
  vpcCreate: [20, 1_500],
  vpcDelete: [10, 1_000],
  peeringProvision: [20, 2_000],
  peeringActive: [20, 3_000],
  peeringDelete: [20, 1_500],
  firstBackup: [0, 2_000],
};

const timingsFor = (column: 0 | 1): Timings =>
  Object.fromEntries(Object.entries(usual).map(([step, times]) => [step, times[column]])) as object as Timings;

export const defaultTimings = timingsFor(0);
export const watchableTimings = timingsFor(1);

/** The milliseconds of a duration for one object. */
export function durationOf(duration: Duration, object: { id: string; name: string }): number {
  if (typeof duration === "number") return duration;
  if (typeof duration === "function") return duration(object);
  const [from, to] = duration;
  return from + (hashOf(object.id, 10_007) / 10_006) * (to - from);
}
