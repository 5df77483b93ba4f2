// Caches the JSON text of services: every waiter reads the list of services again and again. A service is written again
// only when it changed, while a change of it runs, or once a minute for its usage metrics.

import type { Service, ServiceBody } from "../world/entities";
import { ownerOf } from "../world/kinds";
import { minuteMs, serviceWire } from "./objects";
import { readListed, type World } from "../world/world";

/** The JSON text of a service in a GET answer. */
export function serviceText(world: World, service: Service, body: ServiceBody, now: number): Buffer {
  return servicesUnderWay(world).has(service)
    ? writtenText(world, service, body, now)
    : keptText(world, service, body, now, formOf(world, now));
}

const [opening, comma, closing] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")];

export function serviceListText(world: World, projectId: string, now: number): Buffer {
  const underWay = servicesUnderWay(world);
  const form = formOf(world, now);
  const pieces: Buffer[] = [];
  for (const service of world.services.values()) {
    if (service.projectId !== projectId) continue;
    const isQuiet = !underWay.has(service);
    const body = isQuiet ? service.timeline.settled : readListed(service, now);
    if (!body || !isListed(world, body)) continue;
    const text = isQuiet ? keptText(world, service, body, now, form) : writtenText(world, service, body, now);
    pieces.push(pieces.length === 0 ? opening : comma, text);
  }
  return Buffer.concat(pieces.length === 0 ? [opening, closing] : [...pieces, closing]);
}

const isListed = (world: World, body: ServiceBody): boolean =>
  body.status !== "DELETED" || world.settings.switches.deletedServices === "listed";

const writtenText = (world: World, service: Service, body: ServiceBody, now: number): Buffer =>
  Buffer.from(JSON.stringify(serviceWire(world, service, body, now)));

function keptText(world: World, service: Service, body: ServiceBody, now: number, form: string): Buffer {
  if (service.written?.form !== form) service.written = { bytes: writtenText(world, service, body, now), form };
  return service.written.bytes;
}

/** Everything that the text depends on besides the service itself. */
const formOf = (world: World, now: number): string =>
  `${Math.floor(now / minuteMs)} ${JSON.stringify(world.settings.switches)}`;

/** Services whose answers may change without another request: their own change runs, or one of a replica set. */
function servicesUnderWay(world: World): Set<Service> {
  const found = new Set<Service>();
  for (const entity of world.active) {
    const owner = ownerOf(entity);
    if (owner.kind === "service") found.add(owner);
  }
  return found;
}
