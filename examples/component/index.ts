// Databases with their readers as one component, one of them in another project.
import * as pulumi from "@pulumi/pulumi";
import { Provider } from "pulumi-dbcloud";
import { DatabaseCluster } from "./databaseCluster";

const config = new pulumi.Config();
const size = { regionCode: "us-east-1", cpuMillis: 1000, memoryGbs: 4 };

const orders = new DatabaseCluster("orders", { ...size, readers: 2 });

const lab = new Provider("lab", { projectId: config.require("labProject"), apiKey: config.requireSecret("labKey") });
const scratch = new DatabaseCluster("scratch", size, { providers: [lab] });

export const ordersId = orders.serviceId;
export const readUrl = orders.readUrl;
export const scratchId = scratch.serviceId;
