// A database service: its inputs, the observed object, and the meaning of its statuses.
// Contract: "Service", "Create a service", "Fork a service", "States and transitions".

import { z } from "zod";
import type { ConnectionPooler, Endpoint, VpcEndpoint } from "../../domain/endpoint";
import type { Condition, Field, InputsOf } from "../../domain/fields";
import {
  adoptId,
  environment,
  flag,
  identifier,
  moment,
  name,
  password,
  poolerEnabled,
  projectId,
  setLater,
  timeouts,
  regionCode,
} from "../../domain/sharedFields";
import type { ReadReplicaSet } from "../readReplicaSet/inputs";
import type { Size } from "../../domain/sharedFields";
import { isEqual, membersOf, pick } from "../../domain/values/value";

/** An extension that a service is created with. */
export type Addon = "time-series" | "ai";
/** The state of the data that a fork copies. */
export type ForkStrategy = "LAST_SNAPSHOT" | "NOW" | "PITR";

export interface HaReplicas {
  /** All HA replicas, the synchronous ones included. */
  replicaCount: number;
  syncReplicaCount?: number | undefined;
}

export interface ForkFrom {
  serviceId: string;
  strategy: ForkStrategy;
  /** RFC 3339; needed by `PITR` and by nothing else. */
  targetTime?: string | undefined;
}

/** The end of a wait: the API's READY, or an address that accepts connections. */
export type ServiceWaitFor = "ready" | "accepting";

/** A resource that is allocated to a service. */
export interface ServiceResource {
  /** The id of the resource. */
  id?: string | undefined;
  /** Its size; empty for a service on shared resources. */
  spec?: ServiceResourceSpec | undefined;
}

/** The size of a resource. */
interface ServiceResourceSpec {
  /** CPU in millicores; null on shared resources. */
  cpuMillis?: number | null | undefined;
  /** Memory in gigabytes; null on shared resources. */
  memoryGbs?: number | null | undefined;
  /** The type of its volume. */
  volumeType?: string | undefined;
}

/** The service that another one was forked from. */
export interface ForkedFrom {
  /** The id of the service. */
  serviceId?: string | undefined;
  /** The id of its project. */
  projectId?: string | undefined;
  /** Whether the fork is a standby of it. */
  isStandby?: boolean | undefined;
}

/** The standby replicas of a service. */
interface ServiceHaReplicas {
  /** All of them, the synchronous ones included. */
  replicaCount?: number | undefined;
  /** How many of them are synchronous. */
  syncReplicaCount?: number | undefined;
}

/** What a service uses. */
interface ServiceMetrics {
  /** Memory in megabytes. */
  memoryMb?: number | undefined;
  /** CPU in millicores. */
  milliCpu?: number | undefined;
  /** Storage in megabytes. */
  storageMb?: number | undefined;
}

/** The observed object. An optional member is null if the server shows that there is none, and absent if it is not shown. */
export interface Service {
  /** The id of the service. */
  serviceId: string;
  projectId: string;
  name: string;
  regionCode: string;
  created: string;
  serviceType: string;
  status: string;
  resources: ServiceResource[];
  endpoint?: Endpoint | null | undefined;
  connectionPooler?: ConnectionPooler | null | undefined;
  vpcEndpoint?: VpcEndpoint | null | undefined;
  haReplicas?: ServiceHaReplicas | undefined;
  environment?: string | undefined;
  forkedFrom?: ForkedFrom | undefined;
  /** Only the answer to the create or fork has it. */
  initialPassword?: string | undefined;
  dataTieringEnabled?: boolean | undefined;
  logExporterId?: string | null | undefined;
  metricExporterId?: string | null | undefined;
  /** What it uses this moment. */
  metrics?: ServiceMetrics | undefined;
  /** Its read replica sets; empty if the server shows none. */
  readReplicaSets: ReadReplicaSet[];
}

const REPLICAS_ALLOWED = "a whole number, at least 0";
const millicores = z.union([z.int().min(1), z.literal("shared")]);
const gigabytes = z.union([z.int().min(1), z.literal("shared")]);
const count = z.int().min(0);

const LOSS = "the old one is then deleted with its data (fork or dump it first).";

export const serviceFields = {
  name,
  regionCode: {
    ...regionCode,
    change: "fixed",
    remedy: `The region of a service is fixed: keep it, or set \`allowReplace: true\` to create a new, empty service; ${LOSS}`,
  },
  addons: {
    schema: z.array(z.enum(["time-series", "ai"])),
    allowed: 'a list of "time-series" and "ai"',
    change: "fixed",
    keptAsAsked: true,
    // API: no answer shows them as given.
    byCreate: () => undefined,
    recorded: ({ serviceType }) => addonsOf(serviceType),
    isSame: isSameSet,
    remedy: `The addons of a service are fixed: keep them, or set \`allowReplace: true\` to create a new, empty service; ${LOSS}`,
    agrees: agreesWithShownAddons,
  },
  cpuMillis: {
    schema: millicores,
    allowed: 'a whole number of millicores, at least 1, or "shared"',
    change: "inPlace",
    sentWith: "memoryGbs",
    remedy:
      'The API cannot resize from or to "shared": keep the size it has, or fork it to another size with `forkFrom`.',
    agrees: isSameKindOfSize,
  },
  memoryGbs: {
    schema: gigabytes,
    allowed: 'a whole number of gigabytes, at least 1, or "shared"',
    change: "inPlace",
    sentWith: "cpuMillis",
  },
  environment,
  haReplicas: {
    schema: z.strictObject({
      replicaCount: count.describe(REPLICAS_ALLOWED),
      syncReplicaCount: count.optional().describe(REPLICAS_ALLOWED),
    }),
    allowed: "replicaCount and optionally syncReplicaCount, whole numbers of at least 0",
    change: "inPlace",
    none: { replicaCount: 0, syncReplicaCount: 0 },
    byCreate: (value, { forkFrom }) => (forkFrom === undefined ? pick(membersOf(value), ["replicaCount"]) : undefined),
  },
  vpcId: {
    schema: identifier,
    allowed: "the id of a VPC",
    change: "inPlace",
    whenDropped: "detach",
    byCreate: setLater,
    recorded: () => null,
  },
  poolerEnabled,
  password: {
    ...password,
    change: "inPlace",
    keptAsAsked: true,
    byCreate: setLater,
  },
  paused: { ...flag, change: "inPlace", byCreate: setLater },
  forkFrom: {
    schema: z.strictObject({
      serviceId: identifier.describe("the id of a service"),
      strategy: z.enum(["LAST_SNAPSHOT", "NOW", "PITR"]).describe('"LAST_SNAPSHOT", "NOW" or "PITR"'),
      targetTime: moment.optional().describe('a time with its zone, as a string: "2026-01-31T12:00:00Z"'),
    }),
    allowed: 'serviceId, strategy "LAST_SNAPSHOT", "NOW" or "PITR", and for "PITR" targetTime (RFC 3339)',
    change: "fixed",
    keptAsAsked: true,
    byCreate: (value) => (value === undefined ? null : undefined),
    recorded: ({ forkedFrom }) => forkedFrom,
    isSame: isSameFork,
    remedy: `A service is forked once: keep \`forkFrom\` or drop it, or set \`allowReplace: true\` to fork again; ${LOSS}`,
    agrees: agreesWithShownFork,
  },
  projectId: {
    ...projectId,
    remedy: `A service stays in its project: keep it, or set \`allowReplace: true\` to create a new, empty service; ${LOSS}`,
  },
  deletionProtection: { ...flag, change: "lifecycle" },
  allowReplace: { ...flag, change: "lifecycle" },
  adoptId,
  onMissing: { schema: z.enum(["recreate", "error"]), allowed: '"recreate" or "error"', change: "lifecycle" },
  waitFor: { schema: z.enum(["ready", "accepting"]), allowed: '"ready" or "accepting"', change: "lifecycle" },
  timeouts,
} satisfies Record<string, Field>;

export type ServiceInputs = InputsOf<typeof serviceFields>;

/** API: the type shows the addons of the create; other types show nothing about addons. */
const ADDONS_OF_TYPE = new Map<unknown, Addon[]>([
  ["SERIESDB", ["time-series"]],
  ["POSTGRES", []],
]);

export function addonsOf(serviceType: unknown): Addon[] | undefined {
  return ADDONS_OF_TYPE.get(serviceType);
}

function isSameSet(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.every((item) => b.includes(item)) && b.every((item) => a.includes(item));
}

/** The target time may be written in any time zone. */
function isSameFork(a: unknown, b: unknown): boolean {
  const [left, right] = [a as ForkFrom, b as ForkFrom].map((fork) => {
    return { ...fork, targetTime: Date.parse(fork.targetTime ?? "") };
  });
  return isEqual(left, right);
}

/** API: the type of a service shows whether it has "time-series", and not whether it has "ai". */
function agreesWithShownAddons(live: readonly string[] | undefined, wanted: readonly string[]): boolean {
  if (live === undefined) return true;
  return live.includes("time-series") === wanted.includes("time-series");
}

/** Compares only what both sides have: the server shows the parent, not the strategy. */
function agreesWithShownFork(live: ForkFrom | undefined, wanted: ForkFrom): boolean {
  if (live === undefined) return false;
  return (["serviceId", "strategy", "targetTime"] as const).every(
    (key) => live[key] === undefined || live[key] === wanted[key],
  );
}

/** API: an answer does not always show the size. An unknown size counts as the same. */
function isSameKindOfSize(live: Size | undefined, wanted: Size): boolean {
  return live === undefined || (live === "shared") === (wanted === "shared");
}

/**
 * A service stays READY or PAUSED. Every other status, known or not, leads to another one: UNSTABLE too, which the service
 * leaves by itself.
 */
export function conditionOfService({ status }: Pick<Service, "status">): Exclude<Condition, "failed"> {
  if (isServiceReady(status) || isServicePaused(status)) return "settled";
  return ["DELETED", "DELETING"].includes(status.toUpperCase()) ? "deleting" : "pending";
}

/** The statuses of a change that is under way and ends by itself. */
export function isServiceOnItsWay(status: string): boolean {
  return ["QUEUED", "CONFIGURING", "PAUSING", "RESUMING", "UPGRADING", "OPTIMIZING"].includes(status.toUpperCase());
}

export function isServicePaused(status: string): boolean {
  return status.toUpperCase() === "PAUSED";
}

export function isServiceReady(status: string): boolean {
  return status.toUpperCase() === "READY";
}

/** Undefined if it is not shown. */
export function isPoolerEnabled({ connectionPooler }: Pick<Service, "connectionPooler">): boolean | undefined {
  return connectionPooler === undefined ? undefined : connectionPooler !== null;
}
