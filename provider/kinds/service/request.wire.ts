// What the larger requests about services take. Contract: "Create a service", "Fork a service", "Get service logs".

import { z } from "zod";
import type { ForkStrategy } from "./inputs";
import { count, environment, moment, name, size, text } from "../../api/operations/wire";

const addons = z.array(z.enum(["time-series", "ai"], { error: '"time-series" or "ai"' }), { error: "a list" });
const strategy = z.enum(["LAST_SNAPSHOT", "NOW", "PITR"], { error: '"LAST_SNAPSHOT", "NOW" or "PITR"' });
const words = z.array(text.regex(/\S/, { error: "a non-blank string" }), { error: "a list" });

/** A size, and a tag, of a service to be. */
const sized = { cpuMillis: size.optional(), memoryGbs: size.optional(), environment: environment.optional() };

export const createFields = {
  ...sized,
  name,
  addons: addons.optional(),
  regionCode: text.optional(),
  replicaCount: count.optional(),
};

export const forkFields = { ...sized, strategy, targetTime: moment.optional(), name: name.optional() };

export const forkRules = [
  {
    member: "targetTime",
    error: 'given with the strategy "PITR", and only with it',
    holds: ({ strategy: of, targetTime }: { strategy: ForkStrategy; targetTime?: string | undefined }): boolean =>
      (of === "PITR") === (targetTime !== undefined),
  },
] as const;

export const haFields = { replicaCount: count.optional(), syncReplicaCount: count.optional() };

type Ha = Partial<Record<keyof typeof haFields, number | undefined>>;

export const haRules = [
  {
    member: "replicaCount",
    error: "given, or syncReplicaCount",
    holds: ({ replicaCount, syncReplicaCount }: Ha): boolean => (replicaCount ?? syncReplicaCount) !== undefined,
  },
  {
    member: "syncReplicaCount",
    error: "at most replicaCount, which counts all replicas",
    holds: ({ replicaCount = Infinity, syncReplicaCount = 0 }: Ha): boolean => syncReplicaCount <= replicaCount,
  },
] as const;

export const logsFields = {
  cursor: text.optional(),
  node: count.optional(),
  search: words.optional(),
  severities: words.optional(),
  since: moment.optional(),
  until: moment.optional(),
};
