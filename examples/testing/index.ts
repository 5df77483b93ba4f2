// The program under test: a database of orders in a network of its own, and its read replicas.
import { ReadReplicaSet, Service, Vpc } from "pulumi-dbcloud";

const regionCode = "us-east-1";
const network = new Vpc("network", { cidr: "10.20.0.0/24", regionCode });
const orders = new Service("orders", {
  regionCode,
  cpuMillis: 1_000,
  memoryGbs: 4,
  environment: "DEV",
  vpcId: network.vpcId,
});
const reports = new ReadReplicaSet("reports", { serviceId: orders.serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 });

export const ordersId = orders.serviceId;
export const reportsAddress = reports.host;
