// Classifies attempts to connect to a database, for a wait until it accepts connections. Pure.

/** An address at which a database must accept connections. */
export interface DatabaseAddress {
  host: string;
  port: number;
  /** The address is inside a VPC, which clients in the VPC can reach, and this machine may not. */
  isInVpc: boolean;
}

/** The outcome of one attempt, with a short description in `seen`. */
export interface ConnectionAttempt {
  /**
   * - `accepting`: a PostgreSQL answered, and not that it is starting up. A request for a password is enough.
   * - `refusing`: the host exists and accepts no connections: it refused, closed, did not answer, or is starting up.
   * - `foreign`: something other than PostgreSQL answered.
   * - `unreachable`: the name is not known on this machine, or no packet got through.
   */
  is: "accepting" | "refusing" | "foreign" | "unreachable";
  seen: string;
}

/** How long a new name, or a new route into a VPC, may take to be known on this machine. */
const ROUTE_MS = 15_000;

/** RFC 6761: a name that never resolves. A control plane without databases behind it, as in tests, gives such names. */
export function isReserved({ host }: Pick<DatabaseAddress, "host">): boolean {
  return /\.(?:invalid|example)\.?$/i.test(host);
}

/** The effect of an attempt on the wait: it ends, it continues, or this machine can never know. */
type ConnectionAcceptance = "success" | "retry" | "outOfReach";

/** `unreachableMs` is how long all attempts have been unreachable; 0 once one of them was not. */
export function acceptConnection(
  attempt: ConnectionAttempt,
  address: DatabaseAddress,
  unreachableMs: number,
): ConnectionAcceptance {
  if (attempt.is === "accepting") return "success";
  if (attempt.is !== "unreachable") return "retry";
  if (isReserved(address)) return "outOfReach";
  return address.isInVpc && unreachableMs >= ROUTE_MS ? "outOfReach" : "retry";
}
