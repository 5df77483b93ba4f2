// The rules for services: over several inputs, over what account plans usually offer, and over the recorded status. Pure.

import {
  isServiceDeleting,
  isServiceOnItsWay,
  isServiceSettled,
  type ForkFrom,
  type ServiceInputs,
} from "../../domain/service";
import { isUsualSize, unusualSize } from "../../domain/values/size";
import { show } from "../../domain/values/value";
import type { Finding } from "./observation";

/** API: account plans offer (0,0) (1,0) (2,0) (2,1); other combinations may be refused. */
const USUAL_HA = new Set(["0/0", "1/0", "2/0", "2/1"]);

export function rulesOfService(
  inputs: Partial<ServiceInputs>,
  isKnown: (key: string) => boolean,
  isNew: boolean,
): { errors: Finding[]; warnings: string[] } {
  const errors: Finding[] = [];
  const warnings: string[] = [];
  const { cpuMillis, memoryGbs, haReplicas, forkFrom } = inputs;
  if ((cpuMillis === undefined) !== (memoryGbs === undefined)) {
    const [given, missing] = cpuMillis === undefined ? ["memoryGbs", "cpuMillis"] : ["cpuMillis", "memoryGbs"];
    errors.push({ path: missing, reason: `is missing; allowed: both sizes or none (${given} is given)` });
  } else if (cpuMillis !== undefined && memoryGbs !== undefined && isKnown("cpuMillis") && isKnown("memoryGbs")) {
    if ((cpuMillis === "shared") !== (memoryGbs === "shared")) {
      errors.push({
        path: "memoryGbs",
        reason: `given ${show(memoryGbs)} beside cpuMillis ${show(cpuMillis)}; allowed: "shared" for both or for none`,
      });
    } else if (!isUsualSize(cpuMillis, memoryGbs)) {
      warnings.push(unusualSize(cpuMillis, memoryGbs));
    }
  }
  if (haReplicas !== undefined && isKnown("haReplicas")) checkHa(haReplicas, errors, warnings);
  if (forkFrom !== undefined && isKnown("forkFrom")) {
    checkTargetTime(forkFrom, errors);
    for (const path of isNew ? (["regionCode", "addons"] as const) : []) {
      if (inputs[path] !== undefined) {
        errors.push({ path, reason: `given ${show(inputs[path])}; allowed: nothing, because a fork inherits it` });
      }
    }
  }
  return { errors, warnings };
}

function checkHa(
  { replicaCount, syncReplicaCount = 0 }: NonNullable<ServiceInputs["haReplicas"]>,
  errors: Finding[],
  warnings: string[],
): void {
  if (syncReplicaCount > replicaCount) {
    errors.push({
      path: "haReplicas.syncReplicaCount",
      reason: `given ${syncReplicaCount}; allowed: at most replicaCount, which is ${replicaCount} and counts all of them`,
    });
  } else if (!USUAL_HA.has(`${replicaCount}/${syncReplicaCount}`)) {
    warnings.push(
      `haReplicas ${replicaCount} with ${syncReplicaCount} synchronous is unusual: plans offer 0, 1 or 2, and 2 with 1 synchronous`,
    );
  }
}

function checkTargetTime({ strategy, targetTime }: ForkFrom, errors: Finding[]): void {
  if ((strategy === "PITR") === (targetTime !== undefined)) return;
  errors.push({
    path: "forkFrom.targetTime",
    reason:
      strategy === "PITR"
        ? 'is missing; allowed: an RFC 3339 time, which the strategy "PITR" needs'
        : `given ${show(targetTime)}; allowed: nothing, because only the strategy "PITR" takes a time`,
  });
}

/** The problem of the recorded status; undefined for a status that is settled or leads to a settled one. */
export function troubleOf(status: string | undefined): string | undefined {
  if (status === undefined || isServiceSettled(status) || isServiceOnItsWay(status)) return undefined;
  const seen = `was ${show(status)} when it was last seen`;
  if (isServiceDeleting(status)) {
    return `${seen}: somebody deletes it. \`pulumi refresh\` sees when it is gone; what the next \`pulumi up\` makes then is new and EMPTY`;
  }
  return `${seen}: a change waits until it is READY or PAUSED. Look into the console; \`pulumi refresh\` looks again. One that failed while it was made, and holds nothing yet, is created again by \`pulumi destroy --target\` with its URN and then \`pulumi up\``;
}
