// The planner of services: computes the calls from the wanted and the live inputs, in one fixed order. Pure: no clock, no
// client. The same planner serves the preview and the update.

import type { InPlaceKey } from "../../domain/fields";
import { type HaReplicas, serviceFields, type ServiceInputs } from "./inputs";
import { isEqual, show, withoutUndefined } from "../../domain/values/value";
import type { Call } from "../../plan/calls";
import { orOther, rename, resizeOf, setEnvironment, switchPooler } from "../../plan/sharedSteps";
import { createPlanner, type PlanRows } from "../../plan/planner";
import type { Live, Step, Steps, Wanted } from "../../plan/step";

type ServiceCall = Call<"services">;
/** A step of a service: its call, and its request, are those of the table of operations. */
export type ServiceStep = Step<ServiceInputs, ServiceCall>;

const resize = resizeOf("service");
const ADDRESSES = ["endpoint", "vpcEndpoint", "connectionPooler"];

/**
 * The order of the rows is the order of the calls: cheap and safe ones first, addresses (VPC) settle before the pooler.
 * The stop is the last step, see `aroundPause`.
 */
const rows: PlanRows<InPlaceKey<typeof serviceFields>, ServiceInputs, ServiceCall> = {
  // API: in some deployments the host has the name.
  name: { calls: ["rename"], steps: rename, touches: ADDRESSES },
  environment: { calls: ["setEnvironment"], steps: setEnvironment, touches: ["deletionProtection"] },
  cpuMillis: { calls: ["resize"], steps: resize, touches: ["resources"] },
  memoryGbs: { calls: ["resize"], steps: resize, touches: ["resources"] },
  haReplicas: { calls: ["setHA"], steps: setHA, touches: ["resources"] },
  vpcId: { calls: ["attachToVPC", "detachFromVPC"], steps: moveToVpc, touches: ADDRESSES },
  poolerEnabled: { calls: ["enablePooler", "disablePooler"], steps: switchPooler, touches: ["connectionPooler"] },
  password: { calls: ["updatePassword"], steps: updatePassword, touches: [] },
  paused: {
    calls: ["start", "stop"],
    steps: () => [],
    touches: ["status", ...ADDRESSES],
    restore: { call: "stop", value: true },
  },
};

/** API: a paused service takes no other change, so it is started first and stopped again afterwards. */
function aroundPause(changes: ServiceStep[], wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>): ServiceStep[] {
  const isPaused = live.paused === true;
  const staysPaused = orOther(wanted.paused, isPaused) ?? isPaused;
  const mustStart = isPaused && (changes.length > 0 || !staysPaused);
  const mustStop = staysPaused && (mustStart || !isPaused);
  return [...(mustStart ? [start(staysPaused)] : []), ...changes, ...(mustStop ? [stop(mustStart)] : [])];
}

const POWER = { isAsync: true, properties: ["paused"], request: {} } as const;

function start(isForChanges: boolean): ServiceStep {
  return {
    ...POWER,
    operation: "start",
    leaves: { paused: false },
    reason: isForChanges ? "a paused service takes no changes" : "paused true → false",
    ...(isForChanges ? { effect: "the paused service is started for the change and stopped again" } : {}),
    proof: (live) => live.paused === false,
  };
}

function stop(isRestore: boolean): ServiceStep {
  return {
    ...POWER,
    operation: "stop",
    leaves: { paused: true },
    reason: isRestore ? "it was paused before" : "paused false → true",
    ...(isRestore ? { isRestore } : { effect: "stopping ends all connections until the service is started" }),
    proof: (live) => live.paused === true,
  };
}

function setHA(wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>): Steps<ServiceInputs, ServiceCall> {
  const asked = wanted.haReplicas;
  if (asked === undefined) return [];
  const { replicaCount } = asked;
  const before = countsOf(live.haReplicas);
  // API: more synchronous replicas than replicas are refused, so an unmanaged count is lowered with the total.
  const lowered = before.syncReplicaCount > replicaCount ? replicaCount : undefined;
  const { syncReplicaCount = lowered } = asked;
  const request = { replicaCount, ...withoutUndefined({ syncReplicaCount }) };
  const isThere = ({ haReplicas }: Live<ServiceInputs>): boolean => {
    const counts = countsOf(haReplicas);
    return isEqual(counts, { ...counts, ...request });
  };
  if (isThere(live)) return [];
  return {
    operation: "setHA",
    isAsync: true,
    properties: ["haReplicas"],
    request,
    reason: `haReplicas ${show(live.haReplicas)} → ${show(request)}`,
    ...effectOfLess(before, request),
    proof: (now) => now.haReplicas !== undefined && isThere(now),
  };
}

function countsOf(haReplicas: HaReplicas | null | undefined): { replicaCount: number; syncReplicaCount: number } {
  const { replicaCount = 0, syncReplicaCount = 0 } = haReplicas ?? {};
  return { replicaCount, syncReplicaCount };
}

/** Fewer replicas restart nothing, but the missing protection shows only at the next failure. */
function effectOfLess(before: HaReplicas, { replicaCount, syncReplicaCount }: HaReplicas): Pick<ServiceStep, "effect"> {
  if (replicaCount === 0) return { effect: "without a replica nothing takes over when the service fails" };
  if (syncReplicaCount === 0 && before.syncReplicaCount !== 0) {
    return { effect: "without a synchronous replica a failover can lose the last transactions" };
  }
  return {};
}

function moveToVpc(wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>): ServiceStep[] {
  const vpcId = wanted.vpcId;
  const current = live.vpcId ?? null;
  if (vpcId === undefined || vpcId === current) return [];
  // Neither a call to leave a VPC that is not shown nor one to enter another can succeed.
  if (current === null && isHiddenVpc(live)) return [];
  // API: a service in a VPC has no public address.
  const end =
    current === null
      ? "the public address ends: from then on it is reached only through the VPC"
      : `the address in the VPC ends: from then on it is reached ${vpcId === null ? "at a public one" : "only through the other VPC"}`;
  const effect = `${end}; host, pooler and replica endpoints move, and nobody can reach the service meanwhile`;
  return [
    ...(current === null ? [] : [{ ...detach(current), effect }]),
    ...(vpcId === null ? [] : [{ ...attach(vpcId), effect }]),
  ];
}

const MOVE = { isAsync: true, properties: ["vpcId"], movesAddresses: true } as const;

function detach(vpcId: string): ServiceStep {
  return {
    ...MOVE,
    operation: "detachFromVPC",
    request: { vpcId },
    leaves: { vpcId: null },
    reason: `vpcId ${show(vpcId)} → nothing`,
    proof: (now) => now.vpcId === null,
  };
}

function attach(vpcId: string): ServiceStep {
  return {
    ...MOVE,
    operation: "attachToVPC",
    request: { vpcId },
    reason: `vpcId nothing → ${show(vpcId)}`,
    // API: one VPC at a time, and the service was in none before the call.
    proof: (now) => now.vpcId === vpcId || isHiddenVpc(now),
  };
}

/** API: a service in a VPC may show its address there, and not which one it is. */
function isHiddenVpc({ hidden = [] }: Live<ServiceInputs>): boolean {
  return hidden.includes("vpcId");
}

/** API: the password is never shown, so a wanted one is always set; its 2xx is the proof. */
function updatePassword(wanted: Wanted<ServiceInputs>): Steps<ServiceInputs, ServiceCall> {
  const password = wanted.password;
  if (password === undefined) return [];
  return {
    operation: "updatePassword",
    properties: ["password"],
    request: { password },
    reason: "password",
    effect: "password will be set",
  };
}

export const servicePlanner = createPlanner(rows, serviceFields, aroundPause);
