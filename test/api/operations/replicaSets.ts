// What each operation of read replica sets sends and gives.

import { ofService } from "../../support/client";
import { readReplicaSet, wireService } from "../fixtures";
import type { Case } from "./case";

const ofSet = { ...ofService, replicaSetId: "rrs00001" };
const services = "/v1/projects/prj0000001/services";
const one = `${services}/svc1234567`;
const sets = `${one}/replicaSets`;
const wireSet = wireService.read_replica_sets[0];
const message = { message: "ok" };

export const replicaSetsCases: Case[] = [
  {
    operation: "listReplicaSets",
    call: (client) => client.readReplicaSets.list(ofService),
    sends: ["GET", sets],
    answers: [wireSet],
    gives: [readReplicaSet],
  },
  {
    operation: "createReplicaSet",
    call: (client) =>
      client.readReplicaSets.create({ ...ofService, name: "readers", nodes: 2, cpuMillis: 1000, memoryGbs: 4 }),
    sends: ["POST", sets, { cpu_millis: 1000, memory_gbs: 4, name: "readers", nodes: 2 }],
    answers: wireSet,
    gives: { id: "rrs00001", value: readReplicaSet },
  },
  {
    operation: "deleteReplicaSet",
    call: (client) => client.readReplicaSets.delete(ofSet),
    sends: ["DELETE", `${sets}/rrs00001`],
  },
  {
    operation: "resizeReplicaSet",
    call: (client) => client.readReplicaSets.resize({ ...ofSet, cpuMillis: 2000, memoryGbs: 8 }),
    sends: ["POST", `${sets}/rrs00001/resize`, { cpu_millis: "2000", memory_gbs: "8" }],
    answers: message,
  },
  {
    operation: "enableReplicaPooler",
    call: (client) => client.readReplicaSets.enablePooler(ofSet),
    sends: ["POST", `${sets}/rrs00001/enablePooler`],
    answers: message,
  },
  {
    operation: "disableReplicaPooler",
    call: (client) => client.readReplicaSets.disablePooler(ofSet),
    sends: ["POST", `${sets}/rrs00001/disablePooler`],
    answers: message,
  },
  {
    operation: "setReplicaEnvironment",
    call: (client) => client.readReplicaSets.setEnvironment({ ...ofSet, environment: "DEV" }),
    sends: ["POST", `${sets}/rrs00001/setEnvironment`, { environment: "DEV" }],
    answers: message,
  },
];
