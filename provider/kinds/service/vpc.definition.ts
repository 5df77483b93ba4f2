// To which VPC a service may be attached, and from which one it may be detached.

import { InputError } from "../../domain/errors";
import { isSameWord } from "../../domain/sharedFields";
import { show, type Values } from "../../domain/values/value";
import type { Scope } from "../../core/kind";
import { noSuchObject } from "../../core/definitionHelpers";
import type { Session } from "../../core/session";

/** Dropping `vpcId` detaches the recorded VPC only. Another VPC was attached outside Pulumi. */
export function refuseToLeaveAnother(current: unknown, recorded: Values): void {
  const ours = recorded["vpcId"];
  if (ours === undefined || ours === current) return;
  throw new InputError(
    "moved-outside",
    "vpcId",
    `vpcId: the program drops VPC ${show(ours)}, but the service was moved outside Pulumi and is in VPC ${show(current)}; nothing was changed`,
    `To keep it there, set \`vpcId: ${show(current)}\`; to detach it, run \`pulumi refresh\` first.`,
  );
}

/** `regionCode`: where the service is, or is to be made; undefined where the server chooses. */
export async function checkVpc(
  session: Session,
  { projectId }: Scope,
  { vpcId, regionCode, outcome }: { vpcId: string; regionCode: string | undefined; outcome: string },
): Promise<void> {
  const vpc = await session.vpcs(projectId).get(vpcId, { maxAgeMs: session.pace.intervalMs, isReference: true });
  if (vpc === undefined) throw noSuchObject("vpc", "vpcId", { id: vpcId, projectId, outcome });
  if (regionCode === undefined || isSameWord(vpc.regionCode, regionCode)) return;
  throw new InputError(
    "not-the-same-region",
    "vpcId",
    `vpcId: VPC ${show(vpc.name)} (${vpcId}) is in ${vpc.regionCode}, the service in ${regionCode}; ${outcome}`,
    "A service can only be attached to a VPC of its own region: give the id of one, or remove `vpcId`.",
  );
}
