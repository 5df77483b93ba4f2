// A program with all four kinds of resources. It reads its arguments from a file beside it, so that a test changes one
// property as a user edits one line. Two sets of arguments differ in everything that can change.

export const program = `
const { readFileSync } = require("node:fs");
const { Peering, ReadReplicaSet, Service, Vpc } = require("pulumi-dbcloud");
const args = JSON.parse(readFileSync("args.json", "utf8"));
const first = new Vpc("first", args.first);
const second = new Vpc("second", args.second);
const link = new Peering("link", { vpcId: first.vpcId, ...args.link });
const networks = { first: first.vpcId, second: second.vpcId };
const { network, ...db } = args.db;
const service = new Service("db", { ...db, vpcId: network && networks[network] });
new Service("idle", args.idle);
const copy = new Service("copy", { forkFrom: { serviceId: service.serviceId, strategy: "NOW" }, ...args.copy });
const readers = new ReadReplicaSet("readers", { serviceId: service.serviceId, ...args.readers });
exports.copy = copy.serviceId;
exports.url = service.connectionString();
exports.link = link.provisionedId;
exports.address = readers.endpoint;
`;

export const start = {
  first: { cidr: "10.0.0.0/24", regionCode: "us-east-1", name: "first-vpc" },
  second: { cidr: "10.1.0.0/24", regionCode: "us-east-1" },
  link: { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a1b2c3d" },
  db: {
    name: "orders-db",
    regionCode: "us-east-1",
    addons: ["time-series"],
    cpuMillis: 1000,
    memoryGbs: 4,
    environment: "DEV",
    haReplicas: { replicaCount: 1, syncReplicaCount: 0 },
    network: "first",
    poolerEnabled: true,
    password: "first-password",
  },
  idle: { paused: true },
  copy: { cpuMillis: 500, memoryGbs: 2 },
  readers: { nodes: 2, cpuMillis: 500, memoryGbs: 2, poolerEnabled: false, environment: "DEV" },
};
export type Arguments = { [Resource in keyof typeof start]: Record<string, unknown> };

/** Every property that can change in place, and what it becomes. */
export const changed: Arguments = {
  first: { ...start.first, name: "renamed-vpc" },
  second: start.second,
  link: start.link,
  db: {
    ...start.db,
    name: "renamed-db",
    cpuMillis: 2000,
    memoryGbs: 8,
    environment: "PROD",
    haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    network: "second",
    poolerEnabled: false,
    password: "second-password",
    deletionProtection: false,
  },
  idle: { paused: false },
  copy: { cpuMillis: 1000, memoryGbs: 4, haReplicas: { replicaCount: 1 } },
  readers: { nodes: 2, cpuMillis: 1000, memoryGbs: 4, poolerEnabled: true, environment: "PROD" },
};
