// The settings of the emulator. All of them may be changed while it runs.

import { z } from "zod";
import { hashOf } from "../world/random";

const oneOf = <const V extends readonly (string | number)[]>(...values: V): z.ZodType<V[number]> => z.literal(values);

const flag = z.boolean();
const anyText = z.string();
const count = z.int().min(0);
const words: z.ZodType<readonly string[]> = z.array(z.string().regex(/^[\w-]+$/));

/** Of a service that is created without one. */
export const defaultRegion = "us-east-1";

/** The type of a service with the `time-series` addon, or created without `addons`. */
export const timeSeriesType = "SERIESDB";

const american = ["us-east-2", "us-west-2", "ca-central-1", "sa-east-1"];
const european = ["eu-central-1", "eu-west-1", "eu-west-2"];
const asian = ["ap-northeast-1", "ap-south-1", "ap-southeast-1", "ap-southeast-2"];
const otherCloud = ["az-eastus", "az-eastus2", "az-westeurope"];
const knownRegions: readonly string[] = [defaultRegion, ...american, ...european, ...asian, ...otherCloud];

/** The public types name no validator. */
const row = <V>(schema: z.ZodType<V>, value: V): { schema: object; default: V } => ({ schema, default: value });

const rows = {
  /** Send `status` in a Vpc and make its creation and deletion asynchronous (202). Default false. */
  vpcStatus: row(flag, false),
  /** Status code of a change that is refused because another one runs. Default 409. */
  busyStatus: row(oneOf(409, 423), 409),
  /** "allow" accepts a change while another runs and marks it `overlapped` in the ledger. Default "refuse". */
  busy: row(oneOf("refuse", "allow"), "refuse"),
  /** What deleting a VPC with services or peerings does. Default "refuse" (409). */
  deleteVpcInUse: row(oneOf("refuse", "cascade"), "refuse"),
  /** The answer to GET of a deleted service; with "listed", lists show it as DELETED too. Default "404". */
  deletedServices: row(oneOf("404", "DELETED", "listed"), "404"),
  /** Which of the two spellings a Service carries. Default "both". */
  vpcEndpointSpelling: row(oneOf("vpc_endpoint", "vpcEndpoint", "both"), "both"),
  /** The public `endpoint` of a service inside a VPC: left out, `{}`, or still there. Default "absent". */
  endpointInVpc: row(oneOf("absent", "empty", "kept"), "absent"),
  /** After a VPC change, this many GETs of a service answer 404 "no Endpoint for that service id exists". Default 0. */
  endpointGapReads: row(count, 0),
  /** Whether a rename changes the host. Default false. */
  renameMovesHost: row(flag, false),
  /** New peerings fail with this text as `error_message` instead of being provisioned. Default "": they do not. */
  peeringError: row(anyText, ""),
  /** Send optional fields without a value as null instead of leaving them out. Default false. */
  nullFields: row(flag, false),
  /** Add fields to every object that no document mentions. Default false. */
  unknownFields: row(flag, false),
  /** Leave `ha_replicas` out while there are none. Default false. */
  omitZeroHa: row(flag, false),
  /** Spelling of status words. Default "documented". */
  statusCase: row(oneOf("documented", "lower", "upper"), "documented"),
  /** "hostile": ids with slashes, spaces, dots and non-ASCII letters. Default "plain". */
  idLooks: row(oneOf("plain", "hostile"), "plain"),
  /** The regions that services and VPCs can be in. Default: those of the vendor's two clouds; VPCs have none in `az-`. */
  regions: row(words, knownRegions),
  /** Whether a running replica set change shows as UPGRADING on its service. Default "delete" (the contract's list). */
  replicaSetOnService: row(oneOf("never", "delete", "always"), "delete"),
  /** Services a VPC can have. Default 50. */
  maxAttached: row(count, 50),
  /** The minimum length of a password, in characters. Default 8. */
  minPasswordLength: row(count, 8),
  /** PostgreSQL servers that run at once; applies only with real servers. Default 50. */
  maxServers: row(count, 50),
};

/** Points in which deployments differ. Each default follows the contract or the most common behavior. */
export type Switches = { [K in keyof typeof rows]: (typeof rows)[K]["default"] };

export const defaultSwitches = Object.fromEntries(
  Object.entries(rows).map(([name, one]) => [name, one.default]),
) as object as Switches;

const switchesRequest = z.strictObject(
  Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, (schema as z.ZodType).exactOptional()])),
) as object as z.ZodType<Partial<Switches>>;

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

const ms = z.number().min(0);
const reads = z.int().min(0);
const lag = z.strictObject({ ms: ms.exactOptional(), reads: reads.exactOptional() }) satisfies z.ZodType<Lag>;

const duration = z.union([ms, z.tuple([ms, ms]), z.literal("forever").transform(() => Infinity)]);

const steps = Object.keys(watchableTimings) as (keyof Timings)[];

const timings = z.partialRecord(z.enum(steps), duration);

const rateLimit = z.strictObject({
  perSecond: z.number().positive(),
  burst: z.number().min(1).exactOptional(),
  retryAfterSeconds: z.int().min(0).exactOptional(),
});

export const settingsRequest = z.strictObject({
  timings: timings.exactOptional(),
  stale: lag.extend({ comesBack: reads.exactOptional() }).exactOptional() satisfies z.ZodType<StaleLag | undefined>,
  listLag: lag.exactOptional(),
  notFoundAfterCreate: lag.exactOptional(),
  /** `null` removes the limit. */
  rateLimit: rateLimit.nullable().exactOptional(),
  switches: switchesRequest.exactOptional(),
});

export function applySettings(settings: Settings, given: z.output<typeof settingsRequest>): void {
  const { timings: durations, switches: points, rateLimit: limit, ...lags } = given;
  Object.assign(settings.timings, durations);
  Object.assign(settings.switches, points);
  Object.assign(settings, lags);
  if (limit !== undefined) settings.rateLimit = limit ?? undefined;
}

/** As JSON: a duration that is a function shows as a fixed text. */
export function settingsJson(settings: Settings): object {
  const shown = Object.entries(settings.timings).map(([step, given]) => [step, durationJson(given)]);
  return { ...settings, rateLimit: settings.rateLimit ?? null, timings: Object.fromEntries(shown) as object };
}

function durationJson(given: Duration): unknown {
  if (typeof given === "function") return "a function of the object";
  return given === Infinity ? "forever" : given;
}

/** A lag: lasts until the time has passed and this many reads have been answered. */
export interface Lag {
  /** Milliseconds of the emulator's clock. Default 0. */
  ms?: number;
  /** Number of answers, single or list, in which the object is (or should be) shown. Default 0. */
  reads?: number;
}

export interface StaleLag extends Lag {
  /** After the new values were shown once, this many reads show the old ones again. Default 0. */
  comesBack?: number;
}

export interface RateLimit {
  /** Requests per second that are accepted; others get 429. */
  perSecond: number;
  /** Requests that may arrive at once. Default: `perSecond`, at least 1. */
  burst?: number;
  /** The `Retry-After` header. Default: absent. */
  retryAfterSeconds?: number;
}

export interface Settings {
  timings: Timings;
  /**
   * After every change, answers show the old status and values of that object for this long, and only then the status
   * of the change and the new values. The server itself has the new state at once. Default: no lag.
   */
  stale: StaleLag;
  /** New objects are missing from lists for this long. Default: no lag. */
  listLag: Lag;
  /** GET of a new object answers 404 for this long. Default: no lag. */
  notFoundAfterCreate: Lag;
  /** Default: none. */
  rateLimit: RateLimit | undefined;
  switches: Switches;
}
