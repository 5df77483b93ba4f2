// How the three collections of the API are read.

import type { Client } from "../../api/client";
import { absentIfMissing } from "../../domain/errors";
import type { Peering } from "../../domain/peering";
import type { Service } from "../../domain/service";
import type { Vpc } from "../../domain/vpc";
import type { Source } from "./session";

export interface Sources {
  readonly services: (projectId: string) => Source<Service>;
  readonly vpcs: (projectId: string) => Source<Vpc>;
  readonly peerings: (projectId: string, vpcId: string) => Source<Peering>;
}

export function sourcesOf(client: Client): Sources {
  return {
    services: (projectId) => ({
      one: (serviceId, limits) => absentIfMissing(client.services.get({ projectId, serviceId }, limits)),
      all: (limits) => client.services.list({ projectId }, limits),
      idOf: (service) => service.serviceId,
    }),
    vpcs: (projectId) => ({
      one: (vpcId, limits) => absentIfMissing(client.vpcs.get({ projectId, vpcId }, limits)),
      all: (limits) => client.vpcs.list({ projectId }, limits),
      idOf: (vpc) => vpc.vpcId,
    }),
    peerings: (projectId, vpcId) => ({
      one: (peeringId, limits) => absentIfMissing(client.peerings.get({ projectId, vpcId, peeringId }, limits)),
      all: (limits) => client.peerings.list({ projectId, vpcId }, limits),
      idOf: (peering) => peering.peeringId,
    }),
  };
}
