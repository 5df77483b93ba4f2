// Databases of two accounts in one program: each provider has a key of its own, encrypted in the state, and is used by
// the resources that name it.
import * as pulumi from "@pulumi/pulumi";
import { getServicesOutput, Provider, Service } from "pulumi-dbcloud";

const config = new pulumi.Config();

const shop = new Provider("shop", {
  apiKey: config.requireSecret("shopKey"),
  projectId: config.require("shopProject"),
});
const lab = new Provider("lab", { apiKey: config.requireSecret("labKey"), projectId: config.require("labProject") });

const orders = new Service(
  "orders",
  { regionCode: "us-east-1", environment: "PROD", deletionProtection: config.getBoolean("deletionProtection") },
  { provider: shop },
);
const scratch = new Service(
  "scratch",
  { regionCode: "us-east-1", cpuMillis: "shared", memoryGbs: "shared" },
  { provider: lab },
);

// Functions take a provider as resources do.
const inTheLab = getServicesOutput({}, { provider: lab, dependsOn: [scratch] });

export const ordersId = orders.serviceId;
export const labServices = inTheLab.apply((services) => services.map(({ name }) => name));
