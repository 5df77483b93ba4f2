// A database for production: two standbys, a pooler, a replica for reports. Nobody deletes it by accident.
import * as pulumi from "@pulumi/pulumi";
import { ReadReplicaSet, Service } from "pulumi-dbcloud";

const config = new pulumi.Config();

const orders = new Service("orders", {
  regionCode: "us-east-1",
  cpuMillis: 4000,
  memoryGbs: 16,
  environment: "PROD",
  haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
  poolerEnabled: true,
  password: config.requireSecret("password"),
  // The tag alone protects it, too. This is the lock that is opened to delete it.
  deletionProtection: config.getBoolean("deletionProtection") ?? true,
});
const reports = new ReadReplicaSet("reports", { serviceId: orders.serviceId, nodes: 2, cpuMillis: 1000, memoryGbs: 4 });

export const serviceId = orders.serviceId;
export const url = orders.connectionString({ via: "pooler" });
export const reportsAddress = reports.endpoint;
