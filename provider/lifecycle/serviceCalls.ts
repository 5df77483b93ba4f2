// The calls that change a service, by the planner's word for each step.

import type { Environment, Service, ServiceInputs } from "../domain/service";
import type { Step } from "../plan/step";
import type { CallLimits, Place } from "./resource";
import type { Session } from "./session";

export async function sendToService(
  session: Session,
  step: Step<ServiceInputs>,
  serviceId: string,
  { projectId }: Place,
  limits: CallLimits,
): Promise<Service | undefined> {
  const ids = { projectId, serviceId };
  const call = calls[step.operation as ServiceCall];
  // Some answer nothing, the others the service on its way.
  return (await call(session.client.services, ids, step.request, limits)) ?? undefined;
}

type Services = Session["client"]["services"];
type ServiceCall = keyof typeof calls;
type Ids = { projectId: string; serviceId: string };
type Request = Step["request"];

// The planner writes each request in the words of its call, so the ids are all that is added.
const calls = {
  start: (api: Services, ids: Ids, _request: Request, limits: CallLimits) => api.start(ids, limits),
  stop: (api: Services, ids: Ids, _request: Request, limits: CallLimits) => api.stop(ids, limits),
  enablePooler: (api: Services, ids: Ids, _request: Request, limits: CallLimits) => api.enablePooler(ids, limits),
  disablePooler: (api: Services, ids: Ids, _request: Request, limits: CallLimits) => api.disablePooler(ids, limits),
  rename: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.rename({ ...ids, name: String(request["name"]) }, limits),
  setEnvironment: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.setEnvironment({ ...ids, environment: request["environment"] as Environment }, limits),
  resize: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.resize({ ...ids, ...(request as { cpuMillis: number; memoryGbs: number }) }, limits),
  setHA: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.setHA({ ...ids, ...(request as { replicaCount: number; syncReplicaCount?: number }) }, limits),
  attachToVPC: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.attachToVPC({ ...ids, vpcId: String(request["vpcId"]) }, limits),
  detachFromVPC: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.detachFromVPC({ ...ids, vpcId: String(request["vpcId"]) }, limits),
  updatePassword: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.updatePassword({ ...ids, password: String(request["password"]) }, limits),
};
