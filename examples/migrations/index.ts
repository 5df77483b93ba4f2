// A database with its tables and the user of the application, in one `up`. The service is done when its address accepts
// connections, and not when the API says READY: so what comes next can connect.
//
//   pulumi config set --secret ownerPassword …
//   pulumi config set --secret appPassword …
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Service } from "pulumi-dbcloud";
import { LoginRole, Migrations } from "./database";

const config = new pulumi.Config();

const orders = new Service("orders", {
  regionCode: "us-east-1",
  cpuMillis: 500,
  memoryGbs: 2,
  password: config.requireSecret("ownerPassword"),
  waitFor: "accepting",
});

// The certificate is checked. Where an authority of your own has signed it, as with the emulator, NODE_EXTRA_CA_CERTS
// names its file.
const owner = orders.connectionString({ sslMode: "verify-full" });

const schema = new Migrations("schema", { url: owner, folder: path.join(__dirname, "migrations") });

const app = new LoginRole(
  "app",
  { url: owner, name: "app", password: config.requireSecret("appPassword"), memberOf: "orders_writer" },
  // A role goes with its service: where both are destroyed, nobody asks the database to drop it.
  { dependsOn: schema, deletedWith: orders },
);

export const applied = schema.applied;
export const url = app.connectionString;
