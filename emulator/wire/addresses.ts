// Hosts and ports. Both follow from ids, so that they stay the same over a restart of the same seed, and both change with
// every move in or out of a VPC.

import type { Switches } from "../settings/switches";
import type { Address, Service, ServiceBody } from "../world/entities";
import { hashOf } from "../world/random";

export const directAddress = (
  id: string,
  projectId: string,
  body: ServiceBody,
  isNamed = false,
): Required<Address> => ({
  host: hostOf(id, projectId, body, isNamed),
  port: 30_000 + hashOf(`${id}/${body.moves}`, 9_000),
});

export const poolerAddress = (
  id: string,
  projectId: string,
  body: ServiceBody,
  isNamed = false,
): Required<Address> => ({
  host: hostOf(id, projectId, body, isNamed),
  port: 40_000 + hashOf(`${id}/${body.moves}`, 9_000),
});

/** API: while a service is being set up the endpoint is missing first, then has a host without a port. */
export function publicEndpoint(switches: Switches, service: Service, body: ServiceBody): Address | undefined {
  if (body.endpoint) return body.endpoint;
  if (body.status === "QUEUED") return undefined;
  const { host, port } = directAddress(service.id, service.projectId, body, switches.renameMovesHost);
  if (body.status === "CONFIGURING") return { host };
  if (body.vpcId === undefined || switches.endpointInVpc === "kept") return { host, port };
  return switches.endpointInVpc === "empty" ? {} : undefined;
}

function hostOf(id: string, projectId: string, body: ServiceBody, isNamed: boolean): string {
  const label = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, "-")
      .replace(/^-|-$/g, "");
  const name = isNamed ? `${label(body.name)}.` : "";
  const network = body.vpcId === undefined ? "pg" : `vpc${label(body.vpcId)}`;
  return `${name}${label(id)}.${label(projectId)}.${network}.dbcloud.example`;
}
