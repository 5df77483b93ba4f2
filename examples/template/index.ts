import * as pulumi from "@pulumi/pulumi";
import { Service } from "pulumi-dbcloud";

const config = new pulumi.Config();

const database = new Service("database", {
  regionCode: config.require("region"),
  cpuMillis: 500,
  memoryGbs: 2,
  environment: "DEV",
});

export const serviceId = database.serviceId;
export const url = database.connectionString();
