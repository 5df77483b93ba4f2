// Which services belong to a VPC: those in it, those being attached, and those whose detach is not finished.

import { target, actual } from "./timeline";
import type { Service } from "./entities";
import type { World } from "./world";

export function servicesInVpc(world: World, vpcId: string, now: number): Service[] {
  const members: Service[] = [];
  for (const service of world.services.values()) {
    const body = actual(service.timeline, now);
    if (!body || body.status === "DELETED") continue;
    if (body.vpcId === vpcId || target(service.timeline)?.vpcId === vpcId) members.push(service);
  }
  return members;
}
