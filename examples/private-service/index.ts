// A database with an address in a VPC, which is peered with a network of your own. The owner of that network accepts.
import * as pulumi from "@pulumi/pulumi";
import { Peering, Service, Vpc } from "pulumi-dbcloud";

const config = new pulumi.Config();
const regionCode = "us-east-1";

const network = new Vpc("network", { cidr: "10.20.0.0/24", regionCode });
const office = new Peering("office", {
  vpcId: network.vpcId,
  peerAccountId: config.require("peerAccountId"),
  peerRegionCode: config.require("peerRegionCode"),
  peerVpcId: config.require("peerVpcId"),
});
const orders = new Service("orders", { regionCode, cpuMillis: 500, memoryGbs: 2, vpcId: network.vpcId });

/** What the owner of the other network accepts. */
export const toAccept = office.provisionedId;
/** Through the address in the VPC. */
export const url = orders.connectionString({ via: "vpc" });
