// Which services belong to a VPC: those in it, those on their way in, and those that have not left yet.

import { goal, truth } from "./timeline";
import type { Service } from "./entities";
import type { World } from "./world";

export function servicesInVpc(world: World, vpcId: string, now: number): Service[] {
  const members: Service[] = [];
  for (const service of world.services.values()) {
    const body = truth(service.track, now);
    if (!body || body.status === "DELETED") continue;
    if (body.vpcId === vpcId || goal(service.track)?.vpcId === vpcId) members.push(service);
  }
  return members;
}
