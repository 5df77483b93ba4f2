// Addresses of services, poolers and replica sets. Any part can be missing while the server is still working.

/** An address to connect to. */
export interface Endpoint {
  /** The name of the host. */
  host?: string | undefined;
  /** The port. */
  port?: number | undefined;
}

/** A connection pooler. */
export interface ConnectionPooler {
  /** Its address. */
  endpoint?: Endpoint | undefined;
}

/** An address inside a VPC. */
export interface VpcEndpoint extends Endpoint {
  /** The id of the VPC. */
  vpcId?: string | undefined;
}

/** The addresses that a service or a replica set shows. */
interface Addresses {
  endpoint?: Endpoint | null | undefined;
  vpcEndpoint?: VpcEndpoint | null | undefined;
  connectionPooler?: ConnectionPooler | null | undefined;
}

/** The same as plain values, ready to use. */
export interface PlainAddresses {
  host: string | undefined;
  port: number | undefined;
  poolerHost: string | undefined;
  poolerPort: number | undefined;
}

/** API: host or port can be missing while the server is still working; an object in a VPC may have no endpoint at all. */
export function isComplete(address: Endpoint | null | undefined): address is { host: string; port: number } {
  return address?.host !== undefined && address.port !== undefined;
}

/** The address that an object should show while it runs, and does not. API: it can be settled a moment before. */
export function lateAddress({ endpoint, vpcEndpoint }: Addresses): string | undefined {
  return isComplete(endpoint) || isComplete(vpcEndpoint) ? undefined : "no endpoint yet";
}

/** The address of a direct connection: the endpoint, or the address in the VPC if the endpoint is incomplete. */
function directAddress({ endpoint, vpcEndpoint }: Addresses): Endpoint | null | undefined {
  return isComplete(endpoint) ? endpoint : vpcEndpoint;
}

export function plainAddresses(addresses: Addresses): PlainAddresses {
  const direct = directAddress(addresses) ?? addresses.endpoint;
  const pooler = addresses.connectionPooler?.endpoint;
  return { host: direct?.host, port: direct?.port, poolerHost: pooler?.host, poolerPort: pooler?.port };
}
