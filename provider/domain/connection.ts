// What an attempt to connect to a database showed, and what that means for a wait. Pure.

/** An address at which a database is to accept connections. */
export interface DatabaseAddress {
  host: string;
  port: number;
  /** It is inside a VPC: this machine may have no way to it, and clients in the VPC have. */
  isInVpc: boolean;
}

/** The outcome of one attempt. `seen` says it in a few words. */
export type ConnectionAttempt =
  /** A PostgreSQL answered, and not that it is starting up: to ask for a password is enough. */
  | { is: "accepting"; seen: string }
  /** The host is there and accepts no connections: it refused, broke off, stayed silent, or a PostgreSQL is starting up. */
  | { is: "refusing"; seen: string }
  /** What answered is no PostgreSQL. */
  | { is: "foreign"; seen: string }
  /** The name is not known here, or no packet got through. */
  | { is: "unreachable"; seen: string };

/** For how long a new name, or a new route into a VPC, may take to be known here. */
const ROUTE_MS = 15_000;

/** RFC 6761: names that never resolve. A control plane without databases behind it, as in tests, uses them. */
const RESERVED = /\.(?:invalid|example)\.?$/i;

/** What an attempt means for the wait: it is over, it goes on, or this machine can never tell. */
export type ConnectionAcceptance = "success" | "retry" | "outOfReach";

/** `unreachableMs` is how long all attempts have been unreachable; 0 once one of them was not. */
export function acceptConnection(
  attempt: ConnectionAttempt,
  { host, isInVpc }: DatabaseAddress,
  unreachableMs: number,
): ConnectionAcceptance {
  if (attempt.is === "accepting") return "success";
  if (attempt.is !== "unreachable") return "retry";
  if (RESERVED.test(host)) return "outOfReach";
  return isInVpc && unreachableMs >= ROUTE_MS ? "outOfReach" : "retry";
}
