// The states in `test/states`, one file for each version that wrote them and `next.json` for the version to come, and the
// inputs of the objects in them.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const folder = path.join(__dirname, "..", "states");
export const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

/** `vpcId` and `serviceId` come from the objects that are there. */
export const declared = {
  vpc: { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" },
  peering: { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-1", waitFor: "provisioned" },
  service: {
    name: "orders",
    regionCode: "us-east-1",
    addons: ["time-series"],
    cpuMillis: 500,
    memoryGbs: 2,
    environment: "DEV",
    haReplicas: { replicaCount: 1 },
    poolerEnabled: true,
    password: "not a real password",
    timeouts: { create: "1h" },
  },
  readReplicaSet: { name: "reports", nodes: 1, cpuMillis: 500, memoryGbs: 2, poolerEnabled: true },
} as const;

type Values = Record<string, unknown>;
type OldStates = Record<keyof typeof declared, { id: string; inputs: Values; outputs: Values }>;

/** The states of a file, with the ids of the objects that are there now, and the project that they are in. */
export function recall(
  file: string,
  ids: Readonly<Record<keyof typeof declared, string>>,
  projectId: string,
): OldStates {
  let text = readFileSync(path.join(folder, file), "utf8");
  const then = JSON.parse(text) as OldStates;
  for (const kind of Object.keys(declared) as (keyof typeof declared)[])
    text = text.replaceAll(then[kind].id, ids[kind]);
  return JSON.parse(text.replaceAll(String(then.service.outputs["projectId"]), projectId)) as OldStates;
}
