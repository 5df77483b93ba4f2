// The successful answer of each operation. An operation without a row does not compile.

import type { OperationName } from "../../controlPlane/actions/index";
import type { ShapeName } from "./shapes";

export interface AnswerForm {
  /** Every success status; deployments differ in some. */
  readonly statuses: readonly number[];
  /** Undefined: no body. */
  readonly body?: ShapeName | { readonly list: ShapeName };
}

const answer = (status: number, body?: AnswerForm["body"]): AnswerForm => ({
  statuses: [status],
  ...(body && { body }),
});

const message = (status: number): AnswerForm => answer(status, "Message");
const service = (status: number): AnswerForm => answer(status, "Service");

export const answers: { readonly [Name in OperationName]: AnswerForm } = {
  getProjects: answer(200, { list: "Project" }),

  listVpcs: answer(200, { list: "Vpc" }),
  createVpc: { statuses: [201, 202], body: "Vpc" },
  getVpc: answer(200, "Vpc"),
  deleteVpc: { statuses: [204, 202] },
  renameVpc: message(200),

  listPeerings: answer(200, { list: "Peering" }),
  createPeering: answer(201, "Peering"),
  getPeering: answer(200, "Peering"),
  deletePeering: answer(204),

  listServices: answer(200, { list: "Service" }),
  createService: service(202),
  getService: service(200),
  attachToVPC: message(202),
  detachFromVPC: message(202),
  resize: service(202),
  enablePooler: message(200),
  disablePooler: message(200),
  forkService: service(202),
  updatePassword: answer(204),
  setEnvironment: message(200),
  getLogs: answer(200, "Logs"),
  setHA: service(202),
  stop: service(202),
  start: service(202),
  renameService: service(200),
  deleteService: answer(202),

  createReplicaSet: answer(202, "ReadReplicaSet"),
  deleteReplicaSet: answer(202),
  resizeReplicaSet: message(202),
  enableReplicaPooler: message(200),
  disableReplicaPooler: message(200),
  setReplicaEnvironment: message(200),
  listReplicaSets: answer(200, { list: "ReadReplicaSet" }),

  getAuthInfo: answer(200, "AuthInfo"),
  logout: answer(204),
  identifyUser: answer(200, "Received"),
  trackEvent: answer(200, "Received"),
  getServiceMetricsAvailableSeries: answer(200, "SeriesNames"),
  getServiceMetricsSeries: answer(200, "Series"),
};
