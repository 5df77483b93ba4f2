// The calls about services. Contract: "Services"; delete, start and rename are not in it and follow its conventions.

import type { Service } from "./inputs";
import { created, list, one, optionalObject } from "../../api/operations/answer";
import { operation } from "../../api/operations/operation";
import { completeServices, logPageSchema, serviceSchema, vpcOf } from "./answer.wire";
import { createFields, forkFields, forkRules, haFields, haRules, logsFields } from "./request.wire";
import { amount, digits, environment, id, name, text } from "../../api/operations/wire";

const isOfProject = (found: Service, input: { projectId: string }): string | undefined =>
  found.projectId === input.projectId ? undefined : "project_id: it is a service of another project";

const isAsked = (found: Service, input: { projectId: string; serviceId: string }): string | undefined =>
  found.serviceId === input.serviceId ? isOfProject(found, input) : "service_id: it is another service";

const LOG_PAGE_BYTES = 8 * 1024 * 1024;

const createdService = { schema: serviceSchema, idKey: "service_id", passwordKey: "initial_password" };

// If it mistook the parent for its fork, later calls would change or delete the wrong database.
const isParent = (fork: string, input: { serviceId: string }): boolean => fork === input.serviceId;

const changed = optionalObject<Service, { projectId: string; serviceId: string }>(serviceSchema, isAsked);

export const serviceOperations = {
  /** All services of a project. */
  list: operation({
    name: "listServices",
    method: "GET",
    path: "/projects/{projectId}/services",
    answer: list({
      schema: serviceSchema,
      idKey: "service_id",
      nameKey: "name",
      vpcOf,
      check: isOfProject,
      complete: completeServices,
    }),
  }),
  /** One service. */
  get: operation({
    name: "getService",
    method: "GET",
    path: "/projects/{projectId}/services/{serviceId}",
    answer: one({ schema: serviceSchema, check: isAsked, complete: completeServices }),
  }),
  /** Creates a service. It is usable once its status is READY. Only this answer has its first password. */
  create: operation({
    name: "createService",
    method: "POST",
    path: "/projects/{projectId}/services",
    repeat: "notIdempotent",
    fields: createFields,
    body: (input) => ({
      name: input.name,
      addons: input.addons,
      cpu_millis: digits(input.cpuMillis),
      memory_gbs: digits(input.memoryGbs),
      environment_tag: input.environment,
      region_code: input.regionCode,
      replica_count: input.replicaCount,
    }),
    answer: created({ ...createdService, check: isOfProject }),
  }),
  /** Deletes a service with all its data. */
  delete: operation({
    name: "deleteService",
    method: "DELETE",
    path: "/projects/{projectId}/services/{serviceId}",
    documented: false,
  }),
  /** Moves a service into a VPC; its public address ends. */
  attachToVPC: operation({
    name: "attachToVPC",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/attachToVPC",
    repeat: "readFirst",
    fields: { vpcId: id },
  }),
  /** Moves a service out of a VPC. */
  detachFromVPC: operation({
    name: "detachFromVPC",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/detachFromVPC",
    repeat: "readFirst",
    fields: { vpcId: id },
  }),
  /** Gives a service another size, with a short downtime. */
  resize: operation({
    name: "resize",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/resize",
    repeat: "readFirst",
    fields: { cpuMillis: amount, memoryGbs: amount },
    body: (input) => ({ cpu_millis: digits(input.cpuMillis), memory_gbs: digits(input.memoryGbs) }),
    answer: changed,
  }),
  /** Gives a service a connection pooler. */
  enablePooler: operation({
    name: "enablePooler",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/enablePooler",
    repeat: "readFirst",
  }),
  /** Takes the connection pooler away. */
  disablePooler: operation({
    name: "disablePooler",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/disablePooler",
    repeat: "readFirst",
  }),
  /** Creates a new, independent service with the data of this one. */
  forkService: operation({
    name: "forkService",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/forkService",
    repeat: "notIdempotent",
    fields: forkFields,
    rules: forkRules,
    body: (input) => ({
      fork_strategy: input.strategy,
      target_time: input.targetTime,
      name: input.name,
      cpu_millis: digits(input.cpuMillis),
      memory_gbs: digits(input.memoryGbs),
      environment_tag: input.environment,
    }),
    answer: created<Service, { projectId: string; serviceId: string }>({
      ...createdService,
      isTaken: isParent,
      check: isOfProject,
    }),
  }),
  /** Sets the master password. The API never shows it again. */
  updatePassword: operation({
    name: "updatePassword",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/updatePassword",
    repeat: "sameValue",
    fields: { password: text },
    secrets: (input) => [input.password],
  }),
  /** Tags a service as development or production. */
  setEnvironment: operation({
    name: "setEnvironment",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/setEnvironment",
    repeat: "readFirst",
    fields: { environment },
  }),
  /** One page of a service's logs, newest first; `cursor` is the `lastCursor` of the page before. */
  logs: operation({
    name: "getLogs",
    method: "GET",
    path: "/projects/{projectId}/services/{serviceId}/logs",
    fields: logsFields,
    query: ({ cursor, node, search, severities, since, until }) => ({ cursor, node, search, severities, since, until }),
    // API: 500 entries, and PostgreSQL logs whole statements.
    answer: one({ schema: logPageSchema, maxBytes: LOG_PAGE_BYTES }),
  }),
  /** Sets how many HA replicas a service has, and how many of them are synchronous. */
  setHA: operation({
    name: "setHA",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/setHA",
    repeat: "readFirst",
    fields: haFields,
    rules: haRules,
    answer: changed,
  }),
  /** Stops a running service; its data stays and still costs. */
  stop: operation({
    name: "stop",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/stop",
    repeat: "readFirst",
    answer: changed,
  }),
  /** Starts a stopped service. */
  start: operation({
    name: "start",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/start",
    documented: false,
    repeat: "readFirst",
    answer: changed,
  }),
  /** Gives a service another name. */
  rename: operation({
    name: "renameService",
    method: "POST",
    path: "/projects/{projectId}/services/{serviceId}/rename",
    documented: false,
    repeat: "readFirst",
    fields: { name },
    answer: changed,
  }),
};
