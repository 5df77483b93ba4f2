// Decides to which VPC a service may be attached, and from which one it may be detached.

import { InputError } from "../../domain/errors";
import type { ForkFrom } from "../../domain/service";
import { show, type Values } from "../../domain/values/value";
import type { Scope } from "./resource";
import { noSuchObject } from "./sender";
import type { Session } from "../session/session";

/** Dropping `vpcId` detaches the recorded VPC only. Another VPC was attached outside Pulumi. */
export function refuseToLeaveAnother(current: unknown, recorded: Values): void {
  const ours = recorded["vpcId"];
  if (ours === undefined || ours === current) return;
  throw new InputError(
    "vpcId",
    `vpcId: the program drops VPC ${show(ours)}, but the service was moved outside Pulumi and is in VPC ${show(current)}; nothing was changed`,
    `To keep it there, set \`vpcId: ${show(current)}\`. To take it out, run \`pulumi refresh\` first: the next preview then names the VPC that it leaves.`,
  );
}

/** API: a fork stays in the region of its parent. */
export async function regionOfParent(
  session: Session,
  forkFrom: ForkFrom | undefined,
  scope: Scope,
): Promise<string | undefined> {
  if (forkFrom === undefined) return undefined;
  const recent = { maxAgeMs: session.pace.intervalMs, isReference: true } as const;
  const parent = await session.services(scope.projectId).get(forkFrom.serviceId, recent);
  return parent?.regionCode;
}

/** A service that is to be in the VPC. */
interface Attached {
  vpcId: string;
  /** Where the service is, or is to be made; undefined where the server chooses. */
  regionCode: string | undefined;
  /** Who decides where it is: the program, the parent of a fork, or the service that is there. */
  regionBy: "program" | "parent" | "service";
}

export async function checkVpc(
  session: Session,
  scope: Scope,
  { vpcId, regionCode, regionBy }: Attached,
): Promise<void> {
  const outcome = regionBy === "service" ? "nothing was changed" : "the service was not made";
  const recent = { maxAgeMs: session.pace.intervalMs, isReference: true } as const;
  const vpc = await session.vpcs(scope.projectId).get(vpcId, recent);
  if (vpc === undefined) throw noSuchObject("vpc", "vpcId", { id: vpcId, projectId: scope.projectId, outcome });
  if (regionCode === undefined || vpc.regionCode === regionCode) return;
  throw new InputError(
    "vpcId",
    `vpcId: VPC ${show(vpc.name)} (${vpcId}) is in ${vpc.regionCode}, the service in ${regionCode}; ${outcome}`,
    `A service can only be attached to a VPC of its own region. ${remedy(regionBy, regionCode)}`,
  );
}

function remedy(regionBy: Attached["regionBy"], regionCode: string): string {
  if (regionBy === "program") return "Set `regionCode` of one of them to that of the other, or take `vpcId` out.";
  const other = regionBy === "parent" ? "take `vpcId` out" : "set `vpcId` back";
  return `Give the id of a VPC in ${regionCode}, or ${other}.`;
}
