// One database. Its name is `orders-` and the name of the stack, and the API makes its password.
import { Service } from "pulumi-dbcloud";

const orders = new Service("orders", { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2, environment: "DEV" });

export const serviceId = orders.serviceId;
/** A secret: `pulumi stack output url --show-secrets` prints it. */
export const url = orders.connectionString();
