// What has happened, for the console: each change with who asked and how long each status lasted, each request, and what
// somebody has changed by hand since the API last did. It reads the ledger and the timelines, and changes nothing.

import type { PageEvent } from "../../../page/schema";
import type { RequestRecord } from "../../controlPlane/http/requests";
import type { AnyEntity, LedgerEntry } from "../../controlPlane/world/entities";
import { kindNames, rowOf } from "../../controlPlane/world/kinds";
import { target, type Change } from "../../controlPlane/world/timeline";
import type { World } from "../../controlPlane/world/world";
import { keyOf, propertiesOf, type Properties } from "./objects";

/** The newest are kept. */
const mostEvents = 4_000;

interface Running {
  readonly event: PageEvent;
  readonly entity: AnyEntity;
  readonly change: Change<unknown>;
}

interface ByHand {
  readonly key: string;
  readonly name: string;
  /** Absent: the object was made by hand. */
  readonly property?: string;
  readonly before?: Properties[string];
  readonly now?: Properties[string];
}

export type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder(world: World, now: () => number) {
  const events = new Map<string, PageEvent>();
  /** Not told to `taken` yet. */
  const fresh = new Set<string>();
  const running = new Map<string, Running>();
  /** Those with work on a real server, whose end is known only by looking. */
  const awaited = new Set<string>();
  /** As the API left each object, and as the last change did. */
  const left = new Map<string, Properties>();
  const latest = new Map<string, Properties>();
  const asked = new Map<string, Pick<RequestRecord, "caller" | "userAgent">>();
  let ledger = world.ledger;
  let last: LedgerEntry | undefined;
  let count = 0;

  const begin = (): void => {
    for (const all of [events, fresh, running, awaited, left, latest, asked]) all.clear();
    ledger = world.ledger;
    last = ledger.at(-1);
    for (const entity of allOf(world))
      for (const all of [left, latest]) all.set(keyOf(entity), propertiesOf(entity, targetOf(entity)));
  };
  begin();

  const put = (event: PageEvent): void => {
    events.set(event.id, event);
    fresh.add(event.id);
    for (const id of events.keys()) {
      if (events.size <= mostEvents) break;
      events.delete(id);
      fresh.delete(id);
    }
  };

  /** What the ledger has since the last look. */
  const look = (): void => {
    if (world.ledger !== ledger) begin();
    const entries = ledger.slice(last === undefined ? 0 : ledger.lastIndexOf(last) + 1);
    for (const entry of entries) enter(entry);
    last = entries.at(-1) ?? last;
  };

  const enter = (entry: LedgerEntry): void => {
    const { at, kind, id, operation, requestId, by } = entry;
    const entity = rowOf(kind).find(world, id);
    const key = keyOf(entry);
    const request = requestId === undefined ? undefined : asked.get(requestId);
    const after = entity === undefined ? {} : propertiesOf(entity, targetOf(entity));
    const note = inWords(latest.get(key) ?? {}, after);
    latest.set(key, after);
    const event: PageEvent = {
      id: `change-${(count += 1)}`,
      is: "change",
      at: new Date(at).toISOString(),
      title: operation ?? `${entry.event} by hand`,
      by: by === "mutate" ? "somebody" : (request?.caller ?? "the API"),
      about: key,
      ...(request?.userAgent === undefined ? {} : { program: request.userAgent }),
      ...(requestId === undefined ? {} : { request: requestId }),
      ...(note === "" ? {} : { note }),
      phases: [],
    };
    const change = entity?.timeline.changes.at(-1) as Change<unknown> | undefined;
    if (by === "api") leave(key, after, entity, change);
    if (entry.event === "deleted") for (const all of [left, latest]) all.delete(key);
    put(event);
    if (by === "mutate" || entity === undefined || change?.at !== at) return;
    running.set(event.id, { event, entity, change });
    if (change.work !== undefined) awaited.add(event.id);
    progress(event.id);
  };

  /** What the API did not touch stays as it was left, although somebody has changed it by hand meanwhile. */
  const leave = (key: string, after: Properties, entity?: AnyEntity, change?: Change<unknown>): void => {
    const known = left.get(key);
    const before = entity && change?.before !== undefined ? propertiesOf(entity, change.before) : undefined;
    const untouched = Object.keys(after).filter((name) => before && after[name] === before[name]);
    left.set(key, { ...after, ...(known && Object.fromEntries(untouched.map((name) => [name, known[name] ?? null]))) });
  };

  const progress = (id: string): void => {
    const one = running.get(id);
    if (one === undefined) return;
    const phases = phasesOf(one, now());
    if (phases.every(({ ms }) => ms !== undefined)) for (const some of [running, awaited]) some.delete(id);
    if (JSON.stringify(phases) !== JSON.stringify(one.event.phases)) put(Object.assign(one.event, { phases }));
  };

  return {
    /** Called with each request when it has been answered. */
    request(record: RequestRecord): void {
      const { id, at, method, path, params, caller, userAgent, status, refusal, fault } = record;
      if (record.committed) asked.set(id, { caller, userAgent });
      for (const oldest of asked.keys()) {
        if (asked.size <= mostEvents) break;
        asked.delete(oldest);
      }
      look();
      const about = aboutOf(params);
      const note = [refusal, fault && `fault: ${fault}`].filter(Boolean).join("; ");
      put({
        id,
        is: "request",
        at: new Date(at).toISOString(),
        title: `${method} ${path}`,
        by: caller,
        ...(userAgent === undefined ? {} : { program: userAgent }),
        ...(about === undefined ? {} : { about }),
        ...(status === undefined ? {} : { code: status }),
        ...(note === "" ? {} : { note }),
      });
      for (const one of awaited) progress(one);
    },
    /** Brings everything up to this moment. */
    update(): void {
      look();
      for (const id of running.keys()) progress(id);
    },
    all: (): PageEvent[] => [...events.values()],
    /** New ones, and those that went on, since the last call. */
    taken(): PageEvent[] {
      const some = [...fresh].flatMap((id) => events.get(id) ?? []);
      fresh.clear();
      return some;
    },
    isIdle: (): boolean => running.size === 0 && fresh.size === 0 && ledger === world.ledger && last === ledger.at(-1),
    /** What differs from what the API left, by object. */
    byHand(): ByHand[] {
      return allOf(world).flatMap((entity): ByHand[] => {
        const body = targetOf(entity);
        if (body === undefined) return [];
        const key = keyOf(entity);
        const [before, after] = [left.get(key), propertiesOf(entity, body)];
        const name = entity.kind === "peering" ? entity.id : String(after["name"] ?? entity.id);
        if (before === undefined) return [{ key, name }];
        const differing = Object.keys(after).filter((property) => after[property] !== before[property]);
        return differing.map((property) => ({
          key,
          name,
          property,
          before: before[property] ?? null,
          now: after[property] ?? null,
        }));
      });
    },
  };
}

/** One after the other; the last one lacks its duration while it lasts. */
function phasesOf({ event, entity, change }: Running, now: number): NonNullable<PageEvent["phases"]> {
  const { hold } = entity.timeline;
  const moment = hold === undefined ? now : Math.min(now, hold.from);
  // A fault that held the object has put the change back.
  const heldMs = change.at - Date.parse(event.at);
  let rest = moment - change.at;
  const phases: NonNullable<PageEvent["phases"]> = [];
  for (const [index, { body, ms }] of change.phases.entries()) {
    const { status } = body as { status: string };
    const isLast = index === change.phases.length - 1;
    const isAwaited = change.work !== undefined && !(isLast ? change.work.isDone : change.work.isBegun);
    if (rest < ms || isAwaited) return [...phases, { status }];
    // Real work lasts longer than its phase, and its end is seen now.
    const lasted = change.work !== undefined && isLast ? rest : ms;
    phases.push({ status, ms: lasted + (index === 0 ? heldMs : 0) });
    rest -= ms;
  }
  return phases;
}

/** What a change made different; of a new or a deleted object, nothing. */
function inWords(before: Properties, after: Properties): string {
  const names = Object.keys(after).filter((name) => name in before && before[name] !== after[name]);
  return names.map((name) => `${name} ${before[name] ?? "none"} → ${after[name] ?? "none"}`).join(", ");
}

function allOf({ vpcs, services }: World): AnyEntity[] {
  return [
    ...[...vpcs.values()].flatMap((vpc) => [vpc, ...vpc.peerings.values()]),
    ...[...services.values()].flatMap((service) => [service, ...service.replicaSets.values()]),
  ];
}

const targetOf = (entity: AnyEntity): unknown => target<unknown>(entity.timeline);

/** By the parameters of its path, the innermost object. */
function aboutOf(params: RequestRecord["params"]): string | undefined {
  const kind = kindNames.findLast((one) => rowOf(one).parameter in params);
  return kind && keyOf({ kind, id: params[rowOf(kind).parameter] ?? "" });
}
