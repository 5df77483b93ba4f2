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
