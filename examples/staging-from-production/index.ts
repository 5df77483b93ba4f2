// A copy of production to test on: small, cheap, independent of the original, and gone with the stack.
// `pulumi config set production NAME` says what to copy; it is only looked up, never managed.
import * as pulumi from "@pulumi/pulumi";
import { getServiceOutput, Service } from "pulumi-dbcloud";

const config = new pulumi.Config();
const production = getServiceOutput({ name: config.require("production") });

const copy = new Service("copy", {
  // LAST_SNAPSHOT is the quickest; NOW takes a new one; PITR goes back to a `targetTime`.
  forkFrom: { serviceId: production.serviceId, strategy: "LAST_SNAPSHOT" },
  cpuMillis: 500,
  memoryGbs: 2,
  // A fork does not inherit the tag of its parent, but say it anyway: PROD would protect the copy.
  environment: "DEV",
});

export const serviceId = copy.serviceId;
export const url = copy.connectionString();
