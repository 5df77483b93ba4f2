// The calls about services. Contract: "Services"; delete, start and rename are not in it and follow its conventions.

import { z } from "zod";
import type { Service } from "./inputs";
import { created, list, one, optionalObject } from "../../api/operations/answer";
import { operation } from "../../api/operations/operation";
import { logPageSchema, serviceItems } from "./answer.wire";
import { amount, digits, environment, id, name, text } from "../../api/operations/wire";

const isOfProject = (found: Service, input: { projectId: string }): string | undefined =>
  found.projectId === input.projectId ? undefined : "project_id: it is a service of another project";

const isAsked = (found: Service, input: { projectId: string; serviceId: string }): string | undefined =>
  found.serviceId === input.serviceId ? isOfProject(found, input) : "service_id: it is another service";

const LOG_PAGE_BYTES = 8 * 1024 * 1024;

const { schema, idKey, complete } = serviceItems;

// If it mistook the parent for its fork, later calls would change or delete the wrong database.
const isParent = (fork: string, input: { serviceId: string }): boolean => fork === input.serviceId;

const changed = optionalObject<Service, { projectId: string; serviceId: string }>(schema, isAsked);

const count = z.int({ error: "a whole number, at least 0" }).min(0, { error: "a whole number, at least 0" });
const size = z.union([amount, z.literal("shared")], { error: 'a whole number, at least 1, or "shared"' });
const moment = z.iso.datetime({ offset: true, error: "a time like 2026-01-31T12:00:00Z" });
const addons = z.array(z.enum(["time-series", "ai"], { error: '"time-series" or "ai"' }), { error: "a list" });
const strategy = z.enum(["LAST_SNAPSHOT", "NOW", "PITR"], { error: '"LAST_SNAPSHOT", "NOW" or "PITR"' });
const words = z.array(text.regex(/\S/, { error: "a non-blank string" }), { error: "a list" });

/** A size, and a tag, of a service to be. */
const sized = { cpuMillis: size.optional(), memoryGbs: size.optional(), environment: environment.optional() };

const SERVICES = "/projects/{projectId}/services";
const SERVICE = "/projects/{projectId}/services/{serviceId}";

export const serviceOperations = {
  /** All services of a project. */
  list: operation("GET", SERVICES, {
    name: "listServices",
    answer: list({ ...serviceItems, check: isOfProject }),
  }),
  /** One service. */
  get: operation("GET", SERVICE, {
    name: "getService",
    answer: one({ schema, complete, check: isAsked }),
  }),
  /** Creates a service. It is usable once its status is READY. Only this answer has its first password. */
  create: operation("POST", SERVICES, {
    name: "createService",
    repeat: "notIdempotent",
    fields: {
      ...sized,
      name,
      addons: addons.optional(),
      regionCode: text.optional(),
      replicaCount: count.optional(),
    },
    body: (input) => ({
      name: input.name,
      addons: input.addons,
      cpu_millis: digits(input.cpuMillis),
      memory_gbs: digits(input.memoryGbs),
      environment_tag: input.environment,
      region_code: input.regionCode,
      replica_count: input.replicaCount,
    }),
    answer: created({ schema, idKey, check: isOfProject }),
  }),
  /** Deletes a service with all its data. */
  delete: operation("DELETE", SERVICE, { name: "deleteService", documented: false }),
  /** Moves a service into a VPC; its public address ends. */
  attachToVPC: operation("POST", `${SERVICE}/attachToVPC`, { name: "attachToVPC", fields: { vpcId: id } }),
  /** Moves a service out of a VPC. */
  detachFromVPC: operation("POST", `${SERVICE}/detachFromVPC`, { name: "detachFromVPC", fields: { vpcId: id } }),
  /** Gives a service another size, with a short downtime. */
  resize: operation("POST", `${SERVICE}/resize`, {
    name: "resize",
    fields: { cpuMillis: amount, memoryGbs: amount },
    body: (input) => ({ cpu_millis: digits(input.cpuMillis), memory_gbs: digits(input.memoryGbs) }),
    answer: changed,
  }),
  /** Gives a service a connection pooler. */
  enablePooler: operation("POST", `${SERVICE}/enablePooler`, { name: "enablePooler" }),
  /** Takes the connection pooler away. */
  disablePooler: operation("POST", `${SERVICE}/disablePooler`, { name: "disablePooler" }),
  /** Creates a new, independent service with the data of this one. */
  forkService: operation("POST", `${SERVICE}/forkService`, {
    name: "forkService",
    repeat: "notIdempotent",
    fields: { ...sized, strategy, targetTime: moment.optional(), name: name.optional() },
    rules: [
      {
        member: "targetTime",
        error: 'given with the strategy "PITR", and only with it',
        holds: (input) => (input.strategy === "PITR") === (input.targetTime !== undefined),
      },
    ],
    body: (input) => ({
      fork_strategy: input.strategy,
      target_time: input.targetTime,
      name: input.name,
      cpu_millis: digits(input.cpuMillis),
      memory_gbs: digits(input.memoryGbs),
      environment_tag: input.environment,
    }),
    answer: created<Service, { projectId: string; serviceId: string }>({
      schema,
      idKey,
      isTaken: isParent,
      check: isOfProject,
    }),
  }),
  /** Sets the master password. The API never shows it again. */
  updatePassword: operation("POST", `${SERVICE}/updatePassword`, {
    name: "updatePassword",
    repeat: "sameValue",
    fields: { password: text },
    secrets: (input) => [input.password],
  }),
  /** Tags a service as development or production. */
  setEnvironment: operation("POST", `${SERVICE}/setEnvironment`, { name: "setEnvironment", fields: { environment } }),
  /** One page of a service's logs, newest first; `cursor` is the `lastCursor` of the page before. */
  logs: operation("GET", `${SERVICE}/logs`, {
    name: "getLogs",
    fields: {
      cursor: text.optional(),
      node: count.optional(),
      search: words.optional(),
      severities: words.optional(),
      since: moment.optional(),
      until: moment.optional(),
    },
    query: ({ cursor, node, search, severities, since, until }) => ({ cursor, node, search, severities, since, until }),
    // API: 500 entries, and PostgreSQL logs whole statements.
    answer: one({ schema: logPageSchema, maxBytes: LOG_PAGE_BYTES }),
  }),
  /** Sets how many HA replicas a service has, and how many of them are synchronous. */
  setHA: operation("POST", `${SERVICE}/setHA`, {
    name: "setHA",
    fields: { replicaCount: count.optional(), syncReplicaCount: count.optional() },
    rules: [
      {
        member: "replicaCount",
        error: "given, or syncReplicaCount",
        holds: ({ replicaCount, syncReplicaCount }) => (replicaCount ?? syncReplicaCount) !== undefined,
      },
      {
        member: "syncReplicaCount",
        error: "at most replicaCount, which counts all replicas",
        holds: ({ replicaCount = Infinity, syncReplicaCount = 0 }) => syncReplicaCount <= replicaCount,
      },
    ],
    answer: changed,
  }),
  /** Stops a running service; its data stays and still costs. */
  stop: operation("POST", `${SERVICE}/stop`, { name: "stop", answer: changed }),
  /** Starts a stopped service. */
  start: operation("POST", `${SERVICE}/start`, { name: "start", documented: false, answer: changed }),
  /** Gives a service another name. */
  rename: operation("POST", `${SERVICE}/rename`, {
    name: "renameService",
    documented: false,
    fields: { name },
    answer: changed,
  }),
};
