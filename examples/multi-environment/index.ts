// One program for all environments: what differs is in the configuration of each stack.
import * as pulumi from "@pulumi/pulumi";
import { Service, type ServiceArgs } from "pulumi-dbcloud";

const config = new pulumi.Config();

/** `multi-environment-orders-dev` in the stack `dev`, and `multi-environment-orders-prod` in `prod`. */
const orders = new Service("orders", {
  regionCode: "us-east-1",
  ...config.requireObject<ServiceArgs>("database"),
});

export const serviceId = orders.serviceId;
export const url = orders.connectionString();
