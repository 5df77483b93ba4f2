// Values as people read them in a row of progress, a warning or a table: replicas and addresses in words, the rest as JSON.

import { oneLine } from "./printable";
import { show } from "./value";

export function inWords(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return show(value);
  const { replicaCount, syncReplicaCount, host, port, endpoint, vpcId } = value as Readonly<Record<string, unknown>>;
  if (typeof replicaCount === "number") return replicas(replicaCount, syncReplicaCount);
  if (typeof endpoint === "object" && endpoint !== null) return inWords(endpoint);
  if (typeof host !== "string") return show(value);
  const address = typeof port === "number" ? `${oneLine(host)}:${port}` : oneLine(host);
  return typeof vpcId === "string" ? `${address} in VPC ${oneLine(vpcId)}` : address;
}

function replicas(count: number, syncCount: unknown): string {
  if (count === 0) return "no replicas";
  const all = `${count} replica${count === 1 ? "" : "s"}`;
  return typeof syncCount === "number" ? `${all}, ${syncCount === 0 ? "none" : syncCount} synchronous` : all;
}
