// What a user of the emulator can set: durations, staleness, lag, rate limit, and a switch for every point where
// deployments differ and the contract is silent. Everything here may be changed while the emulator runs.

import { hashOf } from "./random";

/** Milliseconds: a number, a range spread evenly and deterministically over the objects, or a function of the object. */
export type Duration =
  | number
  | readonly [fromMs: number, toMs: number]
  | ((object: { id: string; name: string }) => number);

/** How long each change takes, in milliseconds of the emulator's clock. `Infinity` means: never by itself. */
export interface Timings {
  /** Time a new service or fork spends as QUEUED. */
  queued: Duration;
  /** Time a new service spends as CONFIGURING after that. */
  create: Duration;
  fork: Duration;
  resize: Duration;
  ha: Duration;
  attach: Duration;
  detach: Duration;
  pooler: Duration;
  environment: Duration;
  stop: Duration;
  start: Duration;
  delete: Duration;
  replicaCreate: Duration;
  replicaResize: Duration;
  replicaDelete: Duration;
  /** Time from CREATING to CREATED; only with the switch `vpcStatus`, otherwise a VPC is there at once. */
  vpcCreate: Duration;
  vpcDelete: Duration;
  /** Time until a peering has its `provisioned_id`; its VPC is busy so long. */
  peeringProvision: Duration;
  /** Time from there until the peer's owner accepts; `Infinity`: only `mutate.peering` makes it active. */
  peeringActive: Duration;
  peeringDelete: Duration;
  /** Time from READY until the first backup, which forks from `LAST_SNAPSHOT` and read replica sets need. */
  firstBackup: Duration;
}

/** A lag: lasts until both the time has passed and so many reads have been answered. */
export interface Lag {
  /** Milliseconds of the emulator's clock. Default 0. */
  ms?: number;
  /** Number of answers, single or list, in which the object is (or should be) shown. Default 0. */
  reads?: number;
}

export interface StaleLag extends Lag {
  /** After the new values were shown once, so many reads show the old ones again. Default 0. */
  comesBack?: number;
}

export interface RateLimit {
  /** Requests per second that are let through; others get 429. */
  perSecond: number;
  /** Requests that may come at once. Default: `perSecond`, at least 1. */
  burst?: number;
  /** The `Retry-After` header: seconds, or "date" for an HTTP date. Default: absent. */
  retryAfterSeconds?: number | "date";
}

/** Points on which deployments differ. Each default is the contract's word or the most widespread behaviour. */
export interface Switches {
  /** Send `status` in a Vpc and make its creation and deletion asynchronous (202). Default false. */
  vpcStatus: boolean;
  /** Status code of a change that meets another one. Default 409. */
  busyStatus: 409 | 423;
  /** Text of that refusal. Default "already being updated", after the word for the object. */
  busyText: string;
  /** "allow" accepts a change while another runs and marks it `overlapped` in the ledger. Default "refuse". */
  busy: "refuse" | "allow";
  /** What deleting a VPC with services or peerings does. Default "refuse" (409). */
  deleteVpcInUse: "refuse" | "cascade";
  /** What GET says of a deleted service; "listed": lists show it as DELETED too. Default "404". */
  deletedServices: "404" | "DELETED" | "listed";
  /** Whether a paused service can be attached and detached. Default "refuse". */
  attachPaused: "refuse" | "allow";
  /** Which of the two spellings a Service carries. Default "both". */
  vpcEndpointSpelling: "vpc_endpoint" | "vpcEndpoint" | "both";
  /** The public `endpoint` of a service inside a VPC: left out, `{}`, or still there. Default "absent". */
  endpointInVpc: "absent" | "empty" | "kept";
  /** So many GETs of a service answer 404 "no Endpoint for that service id exists" after a VPC change. Default 0. */
  endpointGapReads: number;
  /** Whether a rename changes the host. Default false. */
  renameMovesHost: boolean;
  /** Which of the two spellings the log cursor has. Default "both". */
  cursorSpelling: "last_cursor" | "lastCursor" | "both";
  /** Send structured `entries` beside `logs`. Default true. */
  logEntries: boolean;
  /** The status words of peerings. Default pending, active, failed. */
  peeringWords: { pending: string; active: string; failed: string };
  /** When set, new peerings fail with this text as `error_message` instead of being provisioned. */
  peeringError: string | undefined;
  /** Answer of renameVpc. Default "message", as the contract has it; "vpc" in older deployments. */
  renameVpcAnswer: "message" | "vpc";
  /** Send optional fields without a value as null instead of leaving them out. Default false. */
  nullFields: boolean;
  /** Add fields to every object that no document mentions. Default false. */
  unknownFields: boolean;
  /** Leave `ha_replicas` out while there are none. Default false. */
  omitZeroHa: boolean;
  /** Spelling of status words. Default "documented". */
  statusCase: "documented" | "lower" | "upper";
  /** "hostile": ids with slashes, spaces, dots and non-ASCII letters. Default "plain". */
  idLooks: "plain" | "hostile";
  /** Answer for routes that the profile lacks: "natural" is 405 where the path exists and 404 elsewhere. */
  missingRoutes: "natural" | 403 | 404 | 405 | 501;
  /** Body of errors. Default "full": code, message, details. */
  errorBody: "full" | "message" | "other" | "html" | "empty";
  /** What follows the parent's name where a fork is not named. Default "-fork". */
  forkSuffix: string;
  /** Type of a service created without `addons`. Default "SERIESDB". */
  defaultServiceType: string;
  /** Region of a service created without one. Default "us-east-1". */
  defaultRegion: string;
  /** Whether a running replica set change shows as UPGRADING on its service. Default "delete" (the contract's list). */
  replicaSetOnService: "never" | "delete" | "always";
  maxReplicaCount: number;
  maxNodes: number;
  /** Peerings a VPC can have. Default 50. */
  maxPeerings: number;
  /** Services a VPC can have. Default 50. */
  maxAttached: number;
  minPasswordLength: number;
}

export interface Settings {
  timings: Timings;
  stale: StaleLag;
  listLag: Lag;
  notFoundAfterCreate: Lag;
  rateLimit: RateLimit | undefined;
  switches: Switches;
}

/** Quick enough for tests, long enough that a poll sees the words in between. */
export const defaultTimings: Timings = {
  queued: 10,
  create: 40,
  fork: 40,
  resize: 40,
  ha: 40,
  attach: 40,
  detach: 40,
  pooler: 20,
  environment: 0,
  stop: 20,
  start: 20,
  delete: 30,
  replicaCreate: 40,
  replicaResize: 40,
  replicaDelete: 30,
  vpcCreate: 20,
  vpcDelete: 10,
  peeringProvision: 20,
  peeringActive: 20,
  peeringDelete: 20,
  firstBackup: 0,
};

/** Human scale, for watching: what the command uses. */
export const watchableTimings: Timings = {
  queued: 1_000,
  create: 4_000,
  fork: 5_000,
  resize: 4_000,
  ha: 4_000,
  attach: 3_000,
  detach: 3_000,
  pooler: 1_500,
  environment: 500,
  stop: 2_000,
  start: 2_000,
  delete: 2_000,
  replicaCreate: 4_000,
  replicaResize: 3_000,
  replicaDelete: 2_000,
  vpcCreate: 1_500,
  vpcDelete: 1_000,
  peeringProvision: 2_000,
  peeringActive: 3_000,
  peeringDelete: 1_500,
  firstBackup: 2_000,
};

export const defaultSwitches: Switches = {
  vpcStatus: false,
  busyStatus: 409,
  busyText: "already being updated",
  busy: "refuse",
  deleteVpcInUse: "refuse",
  deletedServices: "404",
  attachPaused: "refuse",
  vpcEndpointSpelling: "both",
  endpointInVpc: "absent",
  endpointGapReads: 0,
  renameMovesHost: false,
  cursorSpelling: "both",
  logEntries: true,
  peeringWords: { pending: "pending", active: "active", failed: "failed" },
  peeringError: undefined,
  renameVpcAnswer: "message",
  nullFields: false,
  unknownFields: false,
  omitZeroHa: false,
  statusCase: "documented",
  idLooks: "plain",
  missingRoutes: "natural",
  errorBody: "full",
  forkSuffix: "-fork",
  defaultServiceType: "SERIESDB",
  defaultRegion: "us-east-1",
  replicaSetOnService: "delete",
  maxReplicaCount: 5,
  maxNodes: 10,
  maxPeerings: 50,
  maxAttached: 50,
  minPasswordLength: 1,
};

/** The milliseconds that a duration means for one object. */
export function durationOf(duration: Duration, object: { id: string; name: string }): number {
  if (typeof duration === "number") return duration;
  if (typeof duration === "function") return duration(object);
  const [from, to] = duration;
  return from + (hashOf(object.id, 10_007) / 10_006) * (to - from);
}
