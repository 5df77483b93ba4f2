// Answers that are already written: everybody who waits for services reads their list again and again. A service is written
// anew only when it changed, when something about it is under way, or once a minute for its usage metrics.

import type { Service, ServiceBody } from "../world/entities";
import { readListed } from "../world/visibility";
import { minuteMs, serviceWire } from "./services";
import type { World } from "../world/world";

/** The text of a service, as it stands in a GET answer. */
export function serviceText(world: World, service: Service, body: ServiceBody, now: number): Buffer {
  const isQuiet = !servicesUnderWay(world).has(service);
  const item = isQuiet ? keptItem(world, service, body, now, formOf(world, now)) : itemOf(world, service, body, now);
  return item.subarray(1);
}

export function serviceListText(world: World, projectId: string, now: number): Buffer {
  const underWay = servicesUnderWay(world);
  const form = formOf(world, now);
  const kept = world.writtenLists.get(projectId);
  if (underWay.size === 0 && kept?.revision === world.revision && kept.form === form) return kept.bytes;
  const items = listedItems(world, projectId, now, { form, underWay });
  const bytes = items.length === 0 ? Buffer.from("[]") : Buffer.concat([...items, Buffer.from("]")]);
  bytes.write("[");
  if (underWay.size === 0) world.writtenLists.set(projectId, { revision: world.revision, form, bytes });
  return bytes;
}

function listedItems(
  world: World,
  projectId: string,
  now: number,
  { form, underWay }: { form: string; underWay: ReadonlySet<Service> },
): Buffer[] {
  const isDeletedListed = world.settings.switches.deletedServices === "listed";
  const items: Buffer[] = [];
  for (const service of world.services.values()) {
    if (service.projectId !== projectId) continue;
    const isQuiet = !underWay.has(service);
    const body = isQuiet ? service.timeline.settled : readListed(service, now);
    if (!body || (body.status === "DELETED" && !isDeletedListed)) continue;
    items.push(isQuiet ? keptItem(world, service, body, now, form) : itemOf(world, service, body, now));
  }
  return items;
}

/** With the comma that precedes it in a list. */
const itemOf = (world: World, service: Service, body: ServiceBody, now: number): Buffer =>
  Buffer.from(`,${JSON.stringify(serviceWire(world, service, body, now))}`);

function keptItem(world: World, service: Service, body: ServiceBody, now: number, form: string): Buffer {
  if (service.written?.form !== form) service.written = { bytes: itemOf(world, service, body, now), form };
  return service.written.bytes;
}

/** All that the text depends on besides the service itself. */
const formOf = (world: World, now: number): string =>
  `${Math.floor(now / minuteMs)} ${JSON.stringify(world.settings.switches)}`;

/** Those that readers may see change without another request: theirs, or one of their replica sets. */
function servicesUnderWay(world: World): Set<Service> {
  const found = new Set<Service>();
  for (const entity of world.active) {
    if (entity.kind === "service") found.add(entity);
    if (entity.kind === "replicaSet") found.add(entity.service);
  }
  return found;
}
