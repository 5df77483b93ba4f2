// Hosts and ports of services and replica sets, from the backend. They change with every move in or out of a VPC.

import type { Backend } from "../../databases/backend";
import type { Switches } from "../settings/switches";
import type { Address, Service, ServiceBody } from "../world/entities";

interface Addressed {
  readonly id: string;
  readonly projectId: string;
}

/** The address of a service, or of one of its replica sets, which moves with it. Undefined while it has none. */
export function addressOf(
  backend: Backend,
  { id, projectId }: Addressed,
  { moves, vpcId, name }: ServiceBody,
  role: "direct" | "pooler",
  isNamed = false,
): Required<Address> | undefined {
  return backend.address({ id, projectId, role, moves, vpcId, name: isNamed ? name : undefined });
}

/** API: while a service is being set up the endpoint is first missing, then has a host without a port. */
export function publicEndpoint(
  backend: Backend,
  switches: Switches,
  service: Service,
  body: ServiceBody,
): Address | undefined {
  if (body.endpoint) return body.endpoint;
  if (body.status === "QUEUED") return undefined;
  const address = addressOf(backend, service, body, "direct", switches.renameMovesHost);
  if (body.status === "CONFIGURING") return address && { host: address.host };
  if (body.vpcId === undefined || switches.endpointInVpc === "kept") return address;
  return switches.endpointInVpc === "empty" ? {} : undefined;
}
