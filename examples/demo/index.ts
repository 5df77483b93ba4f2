// A shop's databases: the orders in a private network, with standby replicas and a pooler; a fork of them to rehearse
// on; read replicas for the reports. `pulumi config set profile peak` scales everything up, `pulumi config set rehearsal
// false` does without the fork.
import * as pulumi from "@pulumi/pulumi";
import { Peering, ReadReplicaSet, Service, Vpc } from "pulumi-dbcloud";
import { type Profile, profiles } from "./profiles";

const config = new pulumi.Config();
const profile = config.get<Profile>("profile", { allowedValues: Object.keys(profiles) as Profile[] }) ?? "normal";
const { network, orders, rehearsal, reports } = profiles[profile];
const regionCode = "us-east-1";

// Two networks: the normal one, and a larger one that the orders move to in the `peak` profile.
const shop = new Vpc("shop", { cidr: "10.20.0.0/24", regionCode, name: network });
const large = new Vpc("large", { cidr: "10.30.0.0/20", regionCode });

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
  vpcId: profile === "peak" ? large.vpcId : shop.vpcId,
  poolerEnabled: true,
  password: config.getSecret("password"),
  // A service with `environment: "PROD"` is protected unless this is false.
  deletionProtection: config.getBoolean("deletionProtection"),
});

const copy =
  config.getBoolean("rehearsal") === false
    ? undefined
    : new Service("rehearsal", {
        forkFrom: { serviceId: db.serviceId, strategy: "NOW" },
        cpuMillis: 500,
        memoryGbs: 2,
        ...rehearsal,
      });

const readers = new ReadReplicaSet("reports", { serviceId: db.serviceId, nodes: 2, ...reports });

export const ordersUrl = db.connectionString({ via: "pooler" });
export const ordersAddress = db.host;
export const rehearsalUrl = copy === undefined ? "there is none" : copy.connectionString();
// Read replicas have the users and passwords of their service.
export const reportsUrl = pulumi
  .all([db.connectionString(), readers.host, readers.port])
  .apply(([url, host, port]) => Object.assign(new URL(url), { host: `${host}:${port}` }).href);
export const peeringToAccept = webServers.provisionedId;
