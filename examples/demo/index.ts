// A shop's databases: the orders in a private network, standby replicas and a pooler before them; a fork of them to
// rehearse on; read replicas for the reports. `pulumi config set season sale` makes everything ready for the sale.
import * as pulumi from "@pulumi/pulumi";
import { Peering, ReadReplicaSet, Service, Vpc } from "pulumi-dbcloud";
import { seasons, type Season } from "./seasons";

const config = new pulumi.Config();
const season = config.get<Season>("season", { allowedValues: Object.keys(seasons) as Season[] }) ?? "calm";
const { network, orders, rehearsal, reports } = seasons[season];
const regionCode = "us-east-1";

// Two networks: the shop's own, and a larger one that the sale moves to.
const shop = new Vpc("shop", { cidr: "10.20.0.0/24", regionCode, name: network });
const sale = new Vpc("sale", { cidr: "10.30.0.0/20", regionCode });

// The web servers run in our own cloud account. Its side accepts the peering by `provisionedId`.
const webServers = new Peering("web-servers", {
  vpcId: shop.vpcId,
  peerAccountId: "123456789012",
  peerRegionCode: regionCode,
  peerVpcId: "vpc-0a1b2c3d",
});

const db = new Service("orders", {
  regionCode,
  addons: ["time-series"],
  ...orders,
  vpcId: season === "sale" ? sale.vpcId : shop.vpcId,
  poolerEnabled: true,
  password: config.getSecret("password"),
  // PROD is protected by itself; only this word takes the protection away.
  deletionProtection: config.getBoolean("deletionProtection"),
});

const copy = new Service("rehearsal", {
  forkFrom: { serviceId: db.serviceId, strategy: "NOW" },
  cpuMillis: 500,
  memoryGbs: 2,
  ...rehearsal,
});

const readers = new ReadReplicaSet("reports", { serviceId: db.serviceId, nodes: 2, ...reports });

export const ordersUrl = db.connectionString({ via: "pooler" });
export const ordersAddress = db.vpcEndpoint.apply((address) => address?.host);
export const rehearsalId = copy.serviceId;
export const reportsAddress = readers.endpoint.apply((address) => address?.host);
export const peeringToAccept = webServers.provisionedId;
