// The steps that several resources share: the same property, the same call. Pure.

import type { ServiceInputs } from "../kinds/service/inputs";
import { isSameWord } from "../domain/sharedFields";
import type { Size } from "../domain/sharedFields";
import { isUnknown, show } from "../domain/values/value";
import type { Call, CallName } from "./calls";
import type { Live, Steps, Wanted } from "./step";

// Each call as the table of operations has it in every group; a row of a planner that disagrees does not compile.
type SharedCall<Name extends CallName<"services">> = Call<"services", Name>;

type Named = Partial<Pick<ServiceInputs, "name">>;
type Tagged = Pick<ServiceInputs, "environment">;
type Sized = Pick<ServiceInputs, "cpuMillis" | "memoryGbs">;
type Pooled = Pick<ServiceInputs, "poolerEnabled">;

export function rename(wanted: Wanted<Named>, live: Live<Named>): Steps<Named, SharedCall<"rename">> {
  const { name } = wanted;
  if (name === undefined || name === live.name) return [];
  return {
    operation: "rename",
    properties: ["name"],
    request: { name },
    reason: `name ${show(live.name)} → ${show(name)}`,
    proof: (now) => now.name === name,
  };
}

export function setEnvironment(
  wanted: Wanted<Tagged>,
  live: Live<Tagged>,
): Steps<Tagged, SharedCall<"setEnvironment">> {
  const { environment } = wanted;
  if (environment === undefined || isSameWord(environment, live.environment)) return [];
  return {
    operation: "setEnvironment",
    properties: ["environment"],
    request: { environment },
    reason: `environment ${show(live.environment)} → ${show(environment)}`,
    proof: (now) => isSameWord(environment, now.environment),
  };
}

/** Both sizes are sent, whichever changed. "shared" on either side is a conflict, not a step. */
export function resizeOf(
  noun: string,
): (wanted: Wanted<Sized>, live: Live<Sized>) => Steps<Sized, SharedCall<"resize">> {
  return (wanted, live) => {
    const cpuMillis = wanted.cpuMillis ?? live.cpuMillis;
    const memoryGbs = wanted.memoryGbs ?? live.memoryGbs;
    // An unknown value is treated as a number. Such a plan is shown, and never carried out.
    const isSized = (size: Size | null | undefined): size is number => typeof size === "number" || isUnknown(size);
    if (!isSized(cpuMillis) || !isSized(memoryGbs) || live.cpuMillis === "shared") return [];
    if (cpuMillis === live.cpuMillis && memoryGbs === live.memoryGbs) return [];
    return {
      operation: "resize",
      isAsync: true,
      properties: ["cpuMillis", "memoryGbs"],
      request: { cpuMillis, memoryGbs },
      reason: `cpuMillis/memoryGbs ${show(live.cpuMillis)}/${show(live.memoryGbs)} → ${show(cpuMillis)}/${show(memoryGbs)}`,
      effect: `resize restarts the ${noun}`,
      proof: (now) => now.cpuMillis === cpuMillis && now.memoryGbs === memoryGbs,
    };
  };
}

/** An unknown switch may turn out to have the other value. */
export function orOther(wanted: boolean | undefined, live: boolean | null | undefined): typeof wanted {
  return isUnknown(wanted) ? live !== true : wanted;
}

export function switchPooler(
  wanted: Wanted<Pooled>,
  live: Live<Pooled>,
): Steps<Pooled, SharedCall<"enablePooler" | "disablePooler">> {
  const isOn = orOther(wanted.poolerEnabled, live.poolerEnabled);
  if (isOn === undefined || isOn === (live.poolerEnabled ?? false)) return [];
  return {
    operation: isOn ? "enablePooler" : "disablePooler",
    isAsync: true,
    properties: ["poolerEnabled"],
    request: {},
    reason: `poolerEnabled ${show(!isOn)} → ${show(isOn)}`,
    ...(isOn ? {} : { effect: "connections through the pooler end" }),
    proof: (now) => now.poolerEnabled === isOn,
  };
}
