// What a read of a service tells the core: its status, its live inputs, its outputs and its addresses.

import type { DatabaseAddress } from "../../domain/connection";
import { isComplete, lateAddress, plainAddresses } from "../../domain/endpoint";
import type { ShownInputs } from "../../domain/fields";
import { isWhole } from "../../domain/listed";
import { isProductionTag } from "../../domain/sharedFields";
import { formatDuration } from "../../domain/values/duration";
import { show, type Values, withoutUndefined } from "../../domain/values/value";
import type { Scope } from "../../core/kind";
import type { Reported } from "../../core/reported";
import { reportedBy } from "../../core/definitionHelpers";
import type { Reader, Session } from "../../core/session";
import type { Size } from "../../domain/sharedFields";
import type { Live } from "../../plan/step";
import {
  addonsOf,
  conditionOfService,
  type ForkFrom,
  type HaReplicas,
  isPoolerEnabled,
  isServiceOnItsWay,
  isServicePaused,
  isServiceReady,
  type Service,
  type serviceFields,
  type ServiceInputs,
} from "./inputs";

export function reportedService(item: Service): Reported {
  const { serviceId: id, name, status, created, environment } = item;
  return {
    id,
    name,
    status,
    condition: conditionOfService(item),
    isOnItsWay: isServiceOnItsWay(status),
    showsCondition: true,
    isWhole: isWhole(item),
    created,
    isProduction: environment === undefined ? undefined : isProductionTag(environment),
    lateAddress: isServicePaused(status) ? undefined : lateAddress(item),
    live: () => live(item),
    outputs: () => outputs(item),
    describe: (nowMs) => `service ${show(name)} (${id}, ${status}, ${ageOf(item, nowMs)})`,
    lacks: ({ waitFor }) => ({
      connections: waitFor === "accepting" && isServiceReady(status) ? addressesOf(item) : [],
    }),
  };
}

export function servicesOf(session: Session, { projectId }: Scope): Reader<Reported> {
  return reportedBy(session.services(projectId), reportedService);
}

function live(item: Service): Live<ServiceInputs> {
  const size = serviceSize(item);
  const shown: ShownInputs<ServiceInputs, typeof serviceFields> = {
    name: item.name,
    regionCode: item.regionCode,
    addons: addonsOf(item.serviceType),
    cpuMillis: size?.cpuMillis,
    memoryGbs: size?.memoryGbs,
    environment: item.environment as ServiceInputs["environment"],
    haReplicas: haReplicasOf(item),
    vpcId: item.vpcEndpoint === null ? null : item.vpcEndpoint?.vpcId,
    poolerEnabled: isPoolerEnabled(item),
    paused: conditionOfService(item) === "settled" ? isServicePaused(item.status) : undefined,
    forkFrom: item.forkedFrom as ForkFrom | undefined,
    projectId: item.projectId,
  };
  const isHiddenVpc = Boolean(item.vpcEndpoint) && shown.vpcId === undefined;
  return { ...withoutUndefined(shown), ...(isHiddenVpc && { hidden: ["vpcId"] }) };
}

/** The size that all resources agree on that show one; undefined while they differ or none does. */
function serviceSize({ resources }: Service): { cpuMillis: Size; memoryGbs: Size } | undefined {
  const specs = resources.flatMap(({ spec }) => spec ?? []);
  // A row may be that of a volume. If no row has a size, the service is on shared resources.
  const sized = specs.filter(({ cpuMillis, memoryGbs }) => cpuMillis !== null || memoryGbs !== null);
  const [first, ...others] = sized.length > 0 ? sized : specs;
  if (first?.cpuMillis === undefined || first.memoryGbs === undefined) return undefined;
  const { cpuMillis, memoryGbs } = first;
  if (!others.every((spec) => spec.cpuMillis === cpuMillis && spec.memoryGbs === memoryGbs)) return undefined;
  return { cpuMillis: cpuMillis ?? "shared", memoryGbs: memoryGbs ?? "shared" };
}

/** Both counts; undefined if one of them is not shown. */
function haReplicasOf({ haReplicas }: Service): Required<HaReplicas> | undefined {
  const { replicaCount, syncReplicaCount } = haReplicas ?? {};
  return replicaCount === undefined || syncReplicaCount === undefined ? undefined : { replicaCount, syncReplicaCount };
}

function outputs(item: Service): Values {
  const { created, status, serviceType, endpoint, connectionPooler, vpcEndpoint, resources, forkedFrom } = item;
  const { dataTieringEnabled, logExporterId, metricExporterId } = item;
  const addresses = { endpoint, connectionPooler, vpcEndpoint };
  const extras = { dataTieringEnabled, logExporterId, metricExporterId };
  return { created, status, serviceType, ...addresses, resources, forkedFrom, ...extras };
}

/** The addresses for clients: of the service, and of its pooler. */
function addressesOf(item: Service): DatabaseAddress[] {
  const { host, port, poolerHost, poolerPort } = plainAddresses(item);
  const isInVpc = Boolean(item.vpcEndpoint);
  const addresses = [
    { host, port },
    { host: poolerHost, port: poolerPort },
  ];
  return addresses.filter(isComplete).map((address) => ({ ...address, isInVpc }));
}

function ageOf(item: Service, nowMs: number): string {
  const ageMs = nowMs - Date.parse(item.created);
  return Number.isNaN(ageMs) ? "of unknown age" : `${formatDuration(Math.max(0, ageMs))} old`;
}
