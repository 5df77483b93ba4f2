// The planner of services: from what is wanted and what is live to the calls, in one fixed order.
// Pure: no clock, no client. The same planner serves the preview and the update.

import type { ForkFrom, ServiceInputs } from "../domain/service";
import { show } from "../domain/value";
import { rename, resize, setEnvironment, switchPooler } from "./sharedSteps";
import type { Conflict, Live, Plan, Step, Wanted } from "./step";

type ServiceStep = Step<ServiceInputs>;
type Row = (wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>) => ServiceStep[];

/** The inputs that steer the provider or that never change; all others need a row below. */
type NotPlanned =
  | "regionCode"
  | "addons"
  | "forkFrom"
  | "projectId"
  | "deletionProtection"
  | "onDelete"
  | "allowReplace"
  | "adoptId"
  | "allowDuplicateName"
  | "onMissing"
  | "timeouts"
  | "paused";

const rows: { readonly [P in Exclude<keyof ServiceInputs, NotPlanned>]: Row } = {
  name: rename,
  environment: setEnvironment,
  cpuMillis: resize,
  memoryGbs: resize,
  haReplicas: setHA,
  vpcId: moveToVpc,
  poolerEnabled: switchPooler,
  password: updatePassword,
};

/** Cheap and safe ones first; addresses settle (VPC) before the pooler; stopping comes last of all. */
const ORDER = ["name", "environment", "cpuMillis", "haReplicas", "vpcId", "poolerEnabled", "password"] as const;

/** The calls that turn `live` into `wanted`, and the differences that no call can remove. */
export function planService(wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>): Plan<ServiceInputs> {
  const changes = ORDER.flatMap((property) => rows[property](wanted, live));
  return { steps: aroundPause(changes, wanted, live), conflicts: findConflicts(wanted, live) };
}

/** API: a paused service takes no other change, so it is started first and stopped again afterwards. */
function aroundPause(changes: ServiceStep[], wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>): ServiceStep[] {
  const isPaused = live.paused === true;
  const staysPaused = wanted.paused ?? isPaused;
  const mustStart = isPaused && (changes.length > 0 || !staysPaused);
  const mustStop = staysPaused && (mustStart || !isPaused);
  return [...(mustStart ? [start(staysPaused)] : []), ...changes, ...(mustStop ? [stop(mustStart)] : [])];
}

function start(isForChanges: boolean): ServiceStep {
  return {
    operation: "start",
    slot: "power",
    properties: ["paused"],
    request: {},
    reason: isForChanges ? "start it, because a paused service takes no changes" : "start it (paused true → false)",
    effect: "starts the service",
    proof: (live) => live.paused === false,
  };
}

function stop(isAgain: boolean): ServiceStep {
  return {
    operation: "stop",
    slot: "power",
    properties: ["paused"],
    request: {},
    reason: isAgain ? "stop it again" : "stop it (paused false → true)",
    effect: "stops the service: it takes no connections until it is started",
    proof: (live) => live.paused === true,
  };
}

function setHA(wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>): ServiceStep[] {
  const asked = wanted.haReplicas;
  if (asked === undefined || asked === null) return [];
  const { replicaCount, syncReplicaCount } = asked;
  const isThere = (now: Live<ServiceInputs>): boolean =>
    (now.haReplicas?.replicaCount ?? 0) === replicaCount &&
    (syncReplicaCount === undefined || (now.haReplicas?.syncReplicaCount ?? 0) === syncReplicaCount);
  if (isThere(live)) return [];
  return [
    {
      operation: "setHA",
      slot: "haReplicas",
      properties: ["haReplicas"],
      request: syncReplicaCount === undefined ? { replicaCount } : { replicaCount, syncReplicaCount },
      reason: `haReplicas ${show(live.haReplicas)} → ${show(asked)}`,
      proof: isThere,
    },
  ];
}

function moveToVpc(wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>): ServiceStep[] {
  const vpcId = wanted.vpcId;
  const current = live.vpcId ?? null;
  if (vpcId === undefined || vpcId === current) return [];
  return [...(current === null ? [] : [detach(current)]), ...(vpcId === null ? [] : [attach(vpcId)])];
}

function detach(vpcId: string): ServiceStep {
  return {
    operation: "detachFromVPC",
    slot: "vpc",
    properties: ["vpcId"],
    request: { vpcId },
    reason: `vpcId ${show(vpcId)} → nothing`,
    effect: "detaching moves host, pooler and replica endpoints",
    proof: (now) => (now.vpcId ?? null) === null,
  };
}

function attach(vpcId: string): ServiceStep {
  return {
    operation: "attachToVPC",
    slot: "vpc",
    properties: ["vpcId"],
    request: { vpcId },
    reason: `vpcId nothing → ${show(vpcId)}`,
    effect: "attaching moves host, pooler and replica endpoints",
    proof: (now) => now.vpcId === vpcId,
  };
}

/** API: the password is never shown, so a wanted one is always set; its 2xx is the proof. */
function updatePassword(wanted: Wanted<ServiceInputs>): ServiceStep[] {
  const password = wanted.password;
  if (password === undefined || password === null) return [];
  return [
    {
      operation: "updatePassword",
      slot: "password",
      properties: ["password"],
      request: { password },
      reason: "password will be set",
      effect: "password will be set",
    },
  ];
}

type Fixed = "regionCode" | "addons" | "forkFrom" | "projectId";

export const WAY_OUT: { readonly [P in Fixed | "cpuMillis"]: string } = {
  regionCode: "The region of a service is fixed: keep it, or say `allowReplace: true` to make a new, empty service.",
  addons: "The addons of a service are fixed: keep them, or say `allowReplace: true` to make a new, empty service.",
  forkFrom: "A service is forked once: keep `forkFrom` or drop it, or say `allowReplace: true` to fork anew.",
  projectId: "A service stays in its project: keep it, or say `allowReplace: true` to make a new, empty service.",
  cpuMillis: 'The API cannot resize from or to "shared": keep it, or fork the service to another size with `forkFrom`.',
};

/** API: the type of a service tells whether it has "time-series", and nothing about "ai". */
function isSameAddons(live: readonly string[], wanted: readonly string[]): boolean {
  return live.includes("time-series") === wanted.includes("time-series");
}

function findConflicts(wanted: Wanted<ServiceInputs>, live: Live<ServiceInputs>): Conflict[] {
  const conflicts: Conflict[] = [];
  const clash = (property: Fixed | "cpuMillis", isSame: boolean): void => {
    const asked = wanted[property];
    if (asked === undefined || asked === null || isSame) return;
    // Addons and sizes cannot always be told from outside; anything else that is absent is really not there.
    if (live[property] === undefined && (property === "addons" || property === "cpuMillis")) return;
    conflicts.push({ property, live: live[property], wanted: asked, wayOut: WAY_OUT[property] });
  };
  clash("regionCode", wanted.regionCode === live.regionCode);
  clash("projectId", wanted.projectId === live.projectId);
  clash("addons", isSameAddons(live.addons ?? [], wanted.addons ?? []));
  clash("forkFrom", isSameFork(live.forkFrom, wanted.forkFrom));
  clash("cpuMillis", (wanted.cpuMillis === "shared") === (live.cpuMillis === "shared"));
  return conflicts;
}

/** Only what both sides say is compared: the server shows the parent, not the strategy. */
function isSameFork(live: ForkFrom | null | undefined, wanted: ForkFrom | null | undefined): boolean {
  if (!live || !wanted) return false;
  return (["serviceId", "strategy", "targetTime"] as const).every(
    (key) => live[key] === undefined || live[key] === wanted[key],
  );
}
