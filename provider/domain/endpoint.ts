// Addresses of services, poolers and replica sets, and connection strings. Any part can be missing while the server is still
// working. Loads nothing, because programs load it.

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
  /** The host to connect to: that of `endpoint`, or the private one in the VPC if there is no public address. */
  host: string | undefined;
  /** The port of `host`. */
  port: number | undefined;
  /** The host of the connection pooler, if there is one. */
  poolerHost: string | undefined;
  /** The port of the connection pooler, if there is one. */
  poolerPort: number | undefined;
}

/** API: host or port can be missing while the server is still working; an object in a VPC may have no endpoint at all. */
export function isComplete(address: Endpoint | null | undefined): address is Address {
  return address?.host !== undefined && address.host !== "" && address.port !== undefined;
}

interface Address {
  host: string;
  port: number;
}

/** Contract: the master user and the database that every service has. */
export const USERNAME = "tsdbadmin";
export const DATABASE = "tsdb";

/** A connection string: of the master user, unless it says another one. */
export function connectionUri(
  { host, port }: Address,
  password: string | undefined,
  {
    user = USERNAME,
    database = DATABASE,
    sslMode = "require",
  }: { user?: string; database?: string; sslMode?: string } = {},
): string {
  const secret = password === undefined ? "" : `:${percentEncoded(password)}`;
  const path = `${percentEncoded(database)}?sslmode=${percentEncoded(sslMode)}`;
  return `postgresql://${percentEncoded(user)}${secret}@${hostInUri(host)}:${port}/${path}`;
}

/** The server names the host: without escapes it could add another port, or settings such as `sslmode`. */
function hostInUri(host: string): string {
  const address = /^\[?([\da-f]*:[\da-f:.]*)\]?$/i.exec(host)?.[1];
  return address === undefined ? percentEncoded(host) : `[${address}]`;
}

/** Half a surrogate pair cannot be encoded. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\ufffd"));
}

/** The address that an object should show while it runs, and does not. API: it can be settled a moment before. */
export function lateAddress({ endpoint, vpcEndpoint }: Addresses): string | undefined {
  return isComplete(endpoint) || isComplete(vpcEndpoint) ? undefined : "no endpoint yet";
}

/** The address of a direct connection: the endpoint, or the address in the VPC if the endpoint is incomplete. */
export function directAddress({ endpoint, vpcEndpoint }: Addresses): Endpoint | null | undefined {
  return isComplete(endpoint) ? endpoint : (vpcEndpoint ?? endpoint);
}

export function plainAddresses(addresses: Addresses): PlainAddresses {
  const direct = directAddress(addresses);
  const pooler = addresses.connectionPooler?.endpoint;
  return { host: direct?.host, port: direct?.port, poolerHost: pooler?.host, poolerPort: pooler?.port };
}
