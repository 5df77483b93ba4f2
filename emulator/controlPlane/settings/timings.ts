// How long each change takes, in milliseconds of the emulator's clock.

import { hashOf } from "../world/random";

/** Milliseconds: a number, a range spread evenly and deterministically over the objects, or a function of the object. */
export type Duration =
  | number
  | readonly [fromMs: number, toMs: number]
  | ((object: { id: string; name: string }) => number);

/**
 * Of each step, a time that is short enough for tests and long enough that a poll sees the statuses in between; and one
 * for people who watch, the default of the command.
 */
const usual = {
  /** Time a new service or fork spends as QUEUED. */
  queued: [10, 1_000],
  /** Time a new service spends as CONFIGURING after that. */
  create: [40, 4_000],
  /** Time a fork spends as CONFIGURING, instead of `create`. */
  fork: [40, 5_000],
  /** Time until a service has its new size. */
  resize: [40, 4_000],
  /** Time until a service has its new number of replicas. */
  ha: [40, 4_000],
  /** Time until a service is in its VPC. */
  attach: [40, 3_000],
  /** Time until a service is out of its VPC. */
  detach: [40, 3_000],
  /** Time until the pooler of a service or replica set is on or off. */
  pooler: [20, 1_500],
  /** Time until a service is PAUSED. */
  stop: [20, 2_000],
  /** Time until a paused service is READY again. */
  start: [20, 2_000],
  /** Time a service spends as DELETING. */
  delete: [30, 2_000],
  /** Time until a new replica set is ready. */
  replicaCreate: [40, 4_000],
  /** Time until a replica set has its new size. */
  replicaResize: [40, 3_000],
  /** Time a replica set spends as DELETING. */
  replicaDelete: [30, 2_000],
  /** Time from CREATING to CREATED; only with the switch `vpcStatus`, otherwise a VPC is created at once. */
  vpcCreate: [20, 1_500],
  /** Time until a deleted VPC is gone. */
  vpcDelete: [10, 1_000],
  /** Time until a peering has its `provisioned_id`; its VPC is busy until then. */
  peeringProvision: [20, 2_000],
  /** Time from there until the peer's owner accepts; `Infinity`: only `mutate.peering` makes it active. */
  peeringActive: [20, 3_000],
  /** Time until a deleted peering is gone. */
  peeringDelete: [20, 1_500],
  /** Time from READY until the first backup, which forks from `LAST_SNAPSHOT` and read replica sets need. */
  firstBackup: [0, 2_000],
} as const;

/** How long each change takes, in milliseconds of the emulator's clock. `Infinity`: it never ends. */
export type Timings = { -readonly [Step in keyof typeof usual]: Duration };

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
