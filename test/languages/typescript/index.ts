// All four kinds of resources, and a look-up.
import { Config } from "@pulumi/pulumi";
import * as dbcloud from "pulumi-dbcloud/native";

const config = new Config();
const isProtected = config.getBoolean("protected");

const net = new dbcloud.Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
const peering = new dbcloud.Peering("link", {
  vpcId: net.vpcId,
  peerAccountId: "123456789012",
  peerRegionCode: "us-east-1",
  peerVpcId: "vpc-0a1b2c3d",
});
const orders = new dbcloud.Service("orders", {
  regionCode: "us-east-1",
  vpcId: net.id,
  cpuMillis: config.requireNumber("cpuMillis"),
  memoryGbs: config.requireNumber("memoryGbs"),
  environment: "DEV",
  password: config.requireSecret("password"),
  deletionProtection: isProtected,
});
const set = new dbcloud.ReadReplicaSet("readers", {
  serviceId: orders.serviceId,
  nodes: 1,
  cpuMillis: 500,
  memoryGbs: 2,
  password: orders.password,
});
// Takes the connection string like any other resource.
const client = new dbcloud.Vpc("client", { name: orders.connectionUri, cidr: "10.1.0.0/24", regionCode: "us-east-1" });
const service = dbcloud.getServiceOutput({ serviceId: orders.id });
const hand =
  config.getBoolean("imported") === true
    ? new dbcloud.Vpc("hand", { name: "by-hand", cidr: "10.9.0.0/24", regionCode: "us-east-1" })
    : undefined;

export const host = orders.host;
export const uri = orders.connectionUri;
export const link = peering.provisionedId;
export const readers = set.host;
export const readersUri = set.connectionUri;
export const status = service.status;
export const found = service.connectionUri;
export const ids = [client.id, hand?.id];
