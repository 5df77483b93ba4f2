// What each operation of services sends and gives.

import { inProject, ofService } from "../../support/client";
import { service, wireService } from "../fixtures";
import type { Case } from "./case";

const services = "/v1/projects/prj0000001/services";
const one = `${services}/svc1234567`;
const message = { message: "ok" };

export const servicesCases: Case[] = [
  {
    operation: "listServices",
    call: (client) => client.services.list(inProject),
    sends: ["GET", services],
    answers: [wireService],
    gives: [service],
  },
  {
    operation: "getService",
    call: (client) => client.services.get(ofService),
    sends: ["GET", one],
    answers: wireService,
    gives: service,
  },
  {
    operation: "createService",
    call: (client) =>
      client.services.create({
        ...inProject,
        name: "orders",
        addons: ["time-series", "ai"],
        cpuMillis: 500,
        memoryGbs: 2,
        environment: "PROD",
        regionCode: "us-east-1",
        replicaCount: 1,
      }),
    sends: [
      "POST",
      services,
      {
        name: "orders",
        addons: ["time-series", "ai"],
        cpu_millis: "500",
        memory_gbs: "2",
        environment_tag: "PROD",
        region_code: "us-east-1",
        replica_count: 1,
      },
    ],
    answers: { ...wireService, initial_password: "first-password-1" },
    gives: {
      id: "svc1234567",
      initialPassword: "first-password-1",
      value: { ...service, initialPassword: "first-password-1" },
    },
  },
  {
    operation: "createService",
    call: (client) =>
      client.services.create({ ...inProject, name: "orders", addons: [], cpuMillis: "shared", memoryGbs: "shared" }),
    sends: ["POST", services, { name: "orders", addons: [], cpu_millis: "shared", memory_gbs: "shared" }],
    answers: wireService,
    gives: { id: "svc1234567", value: service },
  },
  {
    operation: "createService",
    call: (client) => client.services.create({ ...inProject, name: "orders" }),
    sends: ["POST", services, { name: "orders" }],
    answers: wireService,
    gives: { id: "svc1234567", value: service },
  },
  { operation: "deleteService", call: (client) => client.services.delete(ofService), sends: ["DELETE", one] },
  {
    operation: "attachToVPC",
    call: (client) => client.services.attachToVPC({ ...ofService, vpcId: "77" }),
    sends: ["POST", `${one}/attachToVPC`, { vpc_id: "77" }],
    answers: message,
  },
  {
    operation: "detachFromVPC",
    call: (client) => client.services.detachFromVPC({ ...ofService, vpcId: "77" }),
    sends: ["POST", `${one}/detachFromVPC`, { vpc_id: "77" }],
    answers: message,
  },
  {
    operation: "resize",
    call: (client) => client.services.resize({ ...ofService, cpuMillis: 1000, memoryGbs: 4 }),
    sends: ["POST", `${one}/resize`, { cpu_millis: "1000", memory_gbs: "4" }],
    answers: wireService,
    gives: service,
  },
  {
    operation: "enablePooler",
    call: (client) => client.services.enablePooler(ofService),
    sends: ["POST", `${one}/enablePooler`],
    answers: message,
  },
  {
    operation: "disablePooler",
    call: (client) => client.services.disablePooler(ofService),
    sends: ["POST", `${one}/disablePooler`],
    answers: message,
  },
  {
    operation: "forkService",
    call: (client) =>
      client.services.forkService({
        ...inProject,
        serviceId: "svc0000000",
        strategy: "PITR",
        targetTime: "2026-02-01T00:00:00Z",
        name: "orders-fork",
        cpuMillis: "shared",
        memoryGbs: "shared",
        environment: "DEV",
      }),
    sends: [
      "POST",
      `${services}/svc0000000/forkService`,
      {
        fork_strategy: "PITR",
        target_time: "2026-02-01T00:00:00Z",
        name: "orders-fork",
        cpu_millis: "shared",
        memory_gbs: "shared",
        environment_tag: "DEV",
      },
    ],
    answers: { ...wireService, initial_password: "first-password-2" },
    gives: {
      id: "svc1234567",
      initialPassword: "first-password-2",
      value: { ...service, initialPassword: "first-password-2" },
    },
  },
  {
    operation: "forkService",
    call: (client) => client.services.forkService({ ...inProject, serviceId: "svc0000000", strategy: "NOW" }),
    sends: ["POST", `${services}/svc0000000/forkService`, { fork_strategy: "NOW" }],
    answers: wireService,
    gives: { id: "svc1234567", value: service },
  },
  {
    operation: "updatePassword",
    call: (client) => client.services.updatePassword({ ...ofService, password: "n3w-passw0rd" }),
    sends: ["POST", `${one}/updatePassword`, { password: "n3w-passw0rd" }],
  },
  {
    operation: "setEnvironment",
    call: (client) => client.services.setEnvironment({ ...ofService, environment: "PROD" }),
    sends: ["POST", `${one}/setEnvironment`, { environment: "PROD" }],
    answers: message,
  },
  {
    operation: "getLogs",
    call: (client) =>
      client.services.logs({
        ...ofService,
        cursor: "a b/c",
        node: 0,
        search: ["out of memory", "50%"],
        severities: ["ERROR", "FATAL"],
        since: "2026-02-01T00:00:00Z",
        until: "2026-02-02T00:00:00+01:00",
      }),
    sends: [
      "GET",
      `${one}/logs?cursor=a+b%2Fc&node=0&search=out+of+memory&search=50%25&severities=ERROR&severities=FATAL` +
        "&since=2026-02-01T00%3A00%3A00Z&until=2026-02-02T00%3A00%3A00%2B01%3A00",
    ],
    answers: {
      logs: ["two", "one"],
      entries: [
        { message: "two", severity: "ERROR", timestamp: "2026-02-01T00:00:02Z" },
        { message: "one", severity: "FATAL", timestamp: "2026-02-01T00:00:01Z" },
      ],
      last_cursor: "next",
      lastCursor: "other",
    },
    gives: {
      logs: ["two", "one"],
      entries: [
        { message: "two", severity: "ERROR", timestamp: "2026-02-01T00:00:02Z" },
        { message: "one", severity: "FATAL", timestamp: "2026-02-01T00:00:01Z" },
      ],
      lastCursor: "next",
    },
  },
  {
    operation: "setHA",
    call: (client) => client.services.setHA({ ...ofService, replicaCount: 2, syncReplicaCount: 1 }),
    sends: ["POST", `${one}/setHA`, { replica_count: 2, sync_replica_count: 1 }],
    answers: wireService,
    gives: service,
  },
  {
    operation: "setHA",
    call: (client) => client.services.setHA({ ...ofService, syncReplicaCount: 0 }),
    sends: ["POST", `${one}/setHA`, { sync_replica_count: 0 }],
    answers: wireService,
    gives: service,
  },
  {
    operation: "stop",
    call: (client) => client.services.stop(ofService),
    sends: ["POST", `${one}/stop`],
    answers: wireService,
    gives: service,
  },
  {
    operation: "start",
    call: (client) => client.services.start(ofService),
    sends: ["POST", `${one}/start`],
    answers: wireService,
    gives: service,
  },
  {
    operation: "renameService",
    call: (client) => client.services.rename({ ...ofService, name: "bestellungen" }),
    sends: ["POST", `${one}/rename`, { name: "bestellungen" }],
    answers: wireService,
    gives: service,
  },
];
