// A copy of production to test on: small, cheap, independent of the original, and gone with the stack.
// `pulumi config set production ID` says what to copy; it is only read, never managed, and a preview needs no key.
import * as pulumi from "@pulumi/pulumi";
import { Service } from "pulumi-dbcloud";

const config = new pulumi.Config();
const copy = new Service("copy", {
  // LAST_SNAPSHOT is the quickest; NOW takes a new one; PITR goes back to a `targetTime`.
  forkFrom: { serviceId: config.require("production"), strategy: "LAST_SNAPSHOT" },
  cpuMillis: 500,
  memoryGbs: 2,
  // A fork does not inherit the tag of its parent, but say it anyway: PROD would protect the copy.
  environment: "DEV",
});

export const serviceId = copy.serviceId;
export const url = copy.connectionString();
