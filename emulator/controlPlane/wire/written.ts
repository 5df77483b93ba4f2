// Caches the JSON text of answers: every waiter reads the list of services again and again. A service is written again
// only when it changed, while a change of it runs, or once a minute for its usage metrics.

import type { Service, ServiceBody } from "../world/entities";
import { ownerOf } from "../world/kinds";
import { readListed } from "../world/visibility";
import { minuteMs, serviceWire } from "./services";
import type { World, WrittenList } from "../world/world";

/** The JSON text of a service in a GET answer. */
export function serviceText(world: World, service: Service, body: ServiceBody, now: number): Buffer {
  const isQuiet = !servicesUnderWay(world).has(service);
  const item = isQuiet ? keptItem(world, service, body, now, formOf(world, now)) : itemOf(world, service, body, now);
  return item.subarray(1);
}

export function serviceListText(world: World, projectId: string, now: number): readonly Buffer[] {
  const { whole, parts } = writtenList(world, projectId, now);
  if (whole) return [whole];
  const items = parts.flatMap((part) => (Buffer.isBuffer(part) ? part : (shownItem(world, part, now) ?? [])));
  const [first, ...others] = items.filter((item) => item.length > 0);
  return first ? [opening, first.subarray(1), ...others, closing] : [opening, closing];
}

const [opening, closing] = [Buffer.from("["), Buffer.from("]")];

/** Everything but the services that are changing, written once as long as nothing else changes. */
function writtenList(world: World, projectId: string, now: number): WrittenList {
  const underWay = servicesUnderWay(world);
  const form = formOf(world, now);
  const kept = world.writtenLists.get(projectId);
  const isKept = kept?.revision === world.revision && kept.form === form;
  if (isKept && (kept.whole !== undefined || underWay.size > 0)) return kept;
  const parts: (Buffer | Service)[] = [];
  let quiet: Buffer[] = [];
  for (const service of world.services.values()) {
    if (service.projectId !== projectId) continue;
    if (!underWay.has(service)) {
      const body = service.timeline.settled;
      if (body && isListed(world, body)) quiet.push(keptItem(world, service, body, now, form));
      continue;
    }
    parts.push(Buffer.concat(quiet), service);
    quiet = [];
  }
  parts.push(Buffer.concat(quiet));
  const whole = underWay.size === 0 ? listOf(quiet) : undefined;
  const list = { revision: world.revision, form, parts, whole };
  world.writtenLists.set(projectId, list);
  return list;
}

const isListed = (world: World, body: ServiceBody): boolean =>
  body.status !== "DELETED" || world.settings.switches.deletedServices === "listed";

function shownItem(world: World, service: Service, now: number): Buffer | undefined {
  const body = readListed(service, now);
  return body && isListed(world, body) ? itemOf(world, service, body, now) : undefined;
}

/** The comma before the first item becomes the opening bracket. */
function listOf(items: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([...items, Buffer.from("]")]);
  if (bytes.length === 1) return Buffer.from("[]");
  bytes.write("[");
  return bytes;
}

/** With the comma that precedes it in a list. */
const itemOf = (world: World, service: Service, body: ServiceBody, now: number): Buffer =>
  Buffer.from(`,${JSON.stringify(serviceWire(world, service, body, now))}`);

function keptItem(world: World, service: Service, body: ServiceBody, now: number, form: string): Buffer {
  if (service.written?.form !== form) service.written = { bytes: itemOf(world, service, body, now), form };
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
