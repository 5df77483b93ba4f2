// How a service and its logs look on the wire. Contract: "Service", "Get service logs".

import { z } from "zod";
import type { VpcEndpoint } from "../../domain/endpoint";
import type { ForkedFrom, Service, ServiceResource } from "./inputs";
import { readItems } from "../../api/operations/items";
import { readReplicaSetItems } from "../readReplicaSet/wire";
import {
  answeredId,
  connectionPooler,
  endpoint,
  environmentTag,
  listOf,
  notZero,
  object,
  some,
  someWord,
  word,
} from "../../api/operations/wire";

const number = z.number().nullish();
const string = z.string().nullish();

const resource = object<ServiceResource>({
  id: someWord,
  // An empty one is a value: shared resources.
  spec: object<NonNullable<ServiceResource["spec"]>>({
    cpuMillis: notZero,
    memoryGbs: notZero,
    volumeType: someWord,
  }).nullish(),
});

/** API: two spellings of one member; the older one counts where it is alone. */
const vpcEndpoint = {
  on: ["vpc_endpoint", "vpcEndpoint"],
  schema: some<VpcEndpoint>({ vpcId: someWord, host: someWord, port: notZero })
    // A port alone is no address.
    .transform((address) => ((address?.vpcId ?? address?.host) === undefined ? undefined : address))
    .nullish(),
};

const serviceInVpc = object<Pick<Service, "vpcEndpoint">>({ vpcEndpoint });

/** The VPC of an otherwise unreadable service: null for no value, undefined if the VPC is unreadable or not shown. */
export function vpcOf(item: Readonly<Record<string, unknown>>): string | null | undefined {
  const { success, data } = serviceInVpc.safeParse(item);
  if (!success) return undefined;
  return data.vpcEndpoint ? data.vpcEndpoint.vpcId : null;
}

export const uncompiledService = object<Service>({
  serviceId: answeredId,
  projectId: answeredId,
  name: z.string(),
  regionCode: word,
  created: word,
  serviceType: word,
  status: word,
  resources: listOf(resource),
  // One set that cannot be read does not make its service unreadable.
  readReplicaSets: listOf(z.unknown()).transform((sets) => readItems(sets, readReplicaSetItems)),
  endpoint,
  connectionPooler,
  vpcEndpoint,
  haReplicas: some<NonNullable<Service["haReplicas"]>>({ replicaCount: number, syncReplicaCount: number }).nullish(),
  environment: environmentTag,
  forkedFrom: some<ForkedFrom>({
    serviceId: someWord,
    projectId: someWord,
    isStandby: z.boolean().nullish(),
  }).nullish(),
  initialPassword: string,
  dataTieringEnabled: {
    on: ["data_tiering"],
    schema: z
      .object({ enabled: z.boolean().nullish() })
      .transform(({ enabled }) => enabled)
      .nullish(),
  },
  logExporterId: someWord,
  metricExporterId: someWord,
  metrics: some<NonNullable<Service["metrics"]>>({ memoryMb: number, milliCpu: number, storageMb: number }).nullish(),
});
/** Compiled, because a run reads thousands: that takes half the time and a third of the memory. */
export const serviceSchema: z.ZodType<Service> = z.compile(uncompiledService);

export interface LogEntry {
  message: string;
  /** A PostgreSQL severity, like LOG, WARNING, ERROR or FATAL. */
  severity: string;
  /** RFC 3339. */
  timestamp: string;
}

export interface LogPage {
  /** Newest first, at most 500. */
  logs: string[];
  /** The same with time and severity; absent where a server sends texts alone. */
  entries?: LogEntry[] | undefined;
  /** Where the next, older page begins; absent on the last one. */
  lastCursor?: string | undefined;
}

const entrySchema: z.ZodType<LogEntry> = z.object({
  message: z.string(),
  severity: word,
  timestamp: word,
});

export const logPageSchema = object<LogPage>({
  logs: listOf(z.string()),
  entries: z.array(entrySchema).nullish(),
  // API: an empty cursor leads nowhere, like none at all.
  lastCursor: { on: ["last_cursor", "lastCursor"], schema: string },
});
