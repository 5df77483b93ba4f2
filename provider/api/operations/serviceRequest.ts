// What the larger requests about services take. Contract: "Create a service", "Fork a service", "Get service logs".

import { z } from "zod";
import { count, environment, id, moment, name, size, text } from "./wire";

export const project = { projectId: id };
export const service = { projectId: id, serviceId: id };

const addons = z.array(z.enum(["time-series", "ai"], { error: '"time-series" or "ai"' }), { error: "a list" });
const strategy = z.enum(["LAST_SNAPSHOT", "NOW", "PITR"], { error: '"LAST_SNAPSHOT", "NOW" or "PITR"' });
const words = z.array(text.regex(/\S/, { error: "a text that is not blank" }), { error: "a list" });

export const createInput = z.strictObject({
  ...project,
  name,
  addons: addons.optional(),
  cpuMillis: size.optional(),
  memoryGbs: size.optional(),
  environment: environment.optional(),
  regionCode: text.optional(),
  replicaCount: count.optional(),
});

export const forkInput = z
  .strictObject({
    ...service,
    strategy,
    targetTime: moment.optional(),
    name: name.optional(),
    cpuMillis: size.optional(),
    memoryGbs: size.optional(),
    environment: environment.optional(),
  })
  .refine((input) => (input.strategy === "PITR") === (input.targetTime !== undefined), {
    path: ["targetTime"],
    error: 'given with the strategy "PITR", and only with it',
  });

export const haInput = z
  .strictObject({ ...service, replicaCount: count.optional(), syncReplicaCount: count.optional() })
  .refine((input) => (input.replicaCount ?? input.syncReplicaCount) !== undefined, {
    path: ["replicaCount"],
    error: "given, or syncReplicaCount",
  })
  .refine((input) => (input.syncReplicaCount ?? 0) <= (input.replicaCount ?? Infinity), {
    path: ["syncReplicaCount"],
    error: "at most replicaCount, which counts all replicas",
  });

export const logsInput = z.strictObject({
  ...service,
  cursor: text.optional(),
  node: count.optional(),
  search: words.optional(),
  severities: words.optional(),
  since: moment.optional(),
  until: moment.optional(),
});
