// Reads from a service its live inputs, its outputs, and whether a create can have made it.

import type { DatabaseAddress } from "../../domain/connection";
import { isComplete, plainAddresses } from "../../domain/endpoint";
import type { Shown } from "../../domain/fields";
import { formatDuration } from "../../domain/values/duration";
import {
  haReplicasOf,
  isPoolerEnabled,
  isServicePaused,
  isServiceReady,
  isSharedSize,
  serviceSize,
  type ForkFrom,
  type Service,
  type serviceFields,
  type ServiceInputs,
} from "../../domain/service";
import { withoutUndefined, type Values } from "../../domain/values/value";
import type { Environment } from "../../domain/sharedFields";
import type { Live } from "../../plan/step";
import type { Scope } from "./observation";

/** Whether this create can have made the service: no shown value differs. A value that is not shown excludes nothing. */
export function isCandidate({ regionCode, cpuMillis, memoryGbs, forkFrom }: ServiceInputs, item: Service): boolean {
  const size = serviceSize(item);
  const parentId = item.forkedFrom?.serviceId;
  const pairs = [
    [regionCode, item.regionCode],
    [cpuMillis, size?.cpuMillis],
    [memoryGbs, size?.memoryGbs],
    [forkFrom?.serviceId, parentId],
  ];
  const isOther = pairs.some(([asked, seen]) => asked !== undefined && seen !== undefined && asked !== seen);
  return !isOther && (forkFrom !== undefined || parentId === undefined);
}

export function ageOf(item: Service, nowMs: number): string {
  const ageMs = nowMs - Date.parse(item.created);
  return Number.isNaN(ageMs) ? "of unknown age" : `${formatDuration(Math.max(0, ageMs))} old`;
}

/** API: the type shows the addons of the create; other types show nothing about addons. */
export function addonsOf(serviceType: string): ServiceInputs["addons"] {
  if (serviceType === "SERIESDB") return ["time-series"];
  return serviceType === "POSTGRES" ? [] : undefined;
}

export function live(item: Service, scope: Scope): Live<ServiceInputs> {
  const size = serviceSize(item);
  const shared = isSharedSize(item) ? ("shared" as const) : undefined;
  const isStill = isServiceReady(item.status) || isServicePaused(item.status);
  const shown: Shown<ServiceInputs, typeof serviceFields> = {
    name: item.name,
    regionCode: item.regionCode,
    addons: addonsOf(item.serviceType),
    cpuMillis: size?.cpuMillis ?? shared,
    memoryGbs: size?.memoryGbs ?? shared,
    environment: item.environment as Environment | undefined,
    haReplicas: haReplicasOf(item),
    vpcId: item.vpcEndpoint?.vpcId ?? null,
    poolerEnabled: isPoolerEnabled(item),
    paused: isStill ? isServicePaused(item.status) : undefined,
    forkFrom: item.forkedFrom as ForkFrom | undefined,
    projectId: scope.projectId,
  };
  return withoutUndefined(shown);
}

export function outputs(item: Service): Values {
  const { created, status, serviceType, endpoint, connectionPooler, vpcEndpoint, resources, forkedFrom } = item;
  const { dataTieringEnabled, logExporterId, metricExporterId } = item;
  const addresses = { endpoint, connectionPooler, vpcEndpoint };
  const extras = { dataTieringEnabled, logExporterId, metricExporterId };
  return { created, status, serviceType, ...addresses, resources, forkedFrom, ...extras };
}

/** The addresses for clients: of the service, and of its pooler. */
export function addressesOf(item: Service): DatabaseAddress[] {
  const { host, port, poolerHost, poolerPort } = plainAddresses(item);
  const isInVpc = item.vpcEndpoint !== undefined;
  const addresses = [
    { host, port },
    { host: poolerHost, port: poolerPort },
  ];
  return addresses.filter(isComplete).map((address) => ({ ...address, isInVpc }));
}
