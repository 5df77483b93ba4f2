// Addresses of services, poolers and replica sets. Any part can be missing while the server is still working.

export interface Endpoint {
  host?: string | undefined;
  port?: number | undefined;
}

export interface ConnectionPooler {
  endpoint?: Endpoint | undefined;
}

export interface VpcEndpoint extends Endpoint {
  vpcId?: string | undefined;
}

/** What a service or a replica set shows of where it is found. */
interface Addresses {
  endpoint?: Endpoint | undefined;
  vpcEndpoint?: VpcEndpoint | undefined;
  connectionPooler?: ConnectionPooler | undefined;
}

/** The same as plain values, ready to use. */
export interface PlainAddresses {
  host: string | undefined;
  port: number | undefined;
  poolerHost: string | undefined;
  poolerPort: number | undefined;
}

/** API: host or port can be missing while the server is still working, and the endpoint of what is in a VPC altogether. */
export function isComplete(address: Endpoint | undefined): address is { host: string; port: number } {
  return address?.host !== undefined && address.host !== "" && address.port !== undefined;
}

/** Where a direct connection goes: the endpoint, or the address in the VPC where there is no complete one. */
function directAddress({ endpoint, vpcEndpoint }: Addresses): Endpoint | undefined {
  return isComplete(endpoint) ? endpoint : vpcEndpoint;
}

export function plainAddresses(addresses: Addresses): PlainAddresses {
  const direct = directAddress(addresses) ?? addresses.endpoint;
  const pooler = addresses.connectionPooler?.endpoint;
  return { host: direct?.host, port: direct?.port, poolerHost: pooler?.host, poolerPort: pooler?.port };
}
