// Finds objects that no stack manages, and objects that several resources hold. Pure.

import { pick, textOf, withoutUndefined } from "../../provider/domain/values/value";
import { nameOf } from "../../provider/core/compare";
import { projectOf } from "../../provider/core/state";
import type { LiveObject, LiveProject } from "./collect";
import type { Shared, Unmanaged } from "./findings";
import { CREATING, keyOf, resources, type StateEntry, type StackState, type Unfinished } from "./state";

export function sharedObjects(entries: readonly StateEntry[]): Shared[] {
  const holders = Map.groupBy(
    entries.filter(({ isToBeDeleted }) => !isToBeDeleted),
    // A state that was imported and never read names no project.
    ({ kind, id, outputs }) => `${projectOf(outputs) ?? ""} ${keyOf(kind, id)}`,
  );
  return [...holders.values()].flatMap((held) => {
    const [first] = held;
    if (first === undefined || held.length < 2) return [];
    const name = held.map(({ outputs }) => outputs["name"]).find((one) => typeof one === "string");
    return [
      {
        category: "shared" as const,
        type: first.kind,
        id: first.id,
        ...(name === undefined ? {} : { objectName: name }),
        holders: held.map(({ stack, urn, name: inProgram }) => ({ stack, urn, name: inProgram })),
      },
    ];
  });
}

/** An unmanaged object is reported instead of everything in it. */
export function unmanagedObjects(
  { projectId, objects }: LiveProject,
  entries: readonly StateEntry[],
  isIgnored: (object: Unmanaged) => boolean,
  nowMs: number,
): Unmanaged[] {
  const here = entries.filter(({ outputs }) => (projectOf(outputs) ?? projectId) === projectId);
  const managed = new Set(here.map(({ kind, id }) => keyOf(kind, id)));
  const found = objects
    .filter(({ key, parent }) => !managed.has(key) && (parent === undefined || managed.has(parent.key)))
    .filter((object) => [object, object.parent].every((one) => one?.item.condition !== "deleting"))
    .map((object): Unmanaged => {
      const parts = objects.filter(({ parent }) => parent === object).length;
      return {
        category: "unmanaged",
        projectId,
        type: object.kind,
        id: object.item.id,
        ...shownOf(object, parts, nowMs),
      };
    });
  const order = Object.keys(resources);
  return found
    .toSorted((one, other) => order.indexOf(one.type) - order.indexOf(other.type))
    .filter((object) => !isIgnored(object));
}

const SHOWN = ["status", "cidr", "regionCode", "cpuMillis", "memoryGbs", "environment"];

function shownOf({ kind, item, parent, values }: LiveObject, parts: number, nowMs: number): Partial<Unmanaged> {
  const shown = {
    objectName: item.name,
    parentId: parent?.item.id,
    ...pick(values, SHOWN),
    status: textOf(values, "status"),
  };
  if (kind !== "Service") return withoutUndefined(shown);
  const createdAt = textOf(values, "created");
  const ageMs = nowMs - Date.parse(createdAt ?? "");
  return withoutUndefined({
    ...shown,
    createdAt,
    ageMs: Number.isNaN(ageMs) ? undefined : Math.max(0, ageMs),
    vpcId: textOf(values, "vpcId"),
    readReplicaSets: parts || undefined,
  });
}

/** The interrupted creates that may have made the object. */
export function withPendingCreates(object: Unmanaged, stacks: readonly StackState[]): Unmanaged {
  const pendingCreates = stacks.flatMap(({ name: stack, unfinished }) =>
    unfinished.filter((one) => mayHaveMade(one, object)).map(({ urn, name }) => ({ stack, urn, name })),
  );
  return pendingCreates.length === 0 ? object : { ...object, pendingCreates };
}

function mayHaveMade({ kind, operation, inputs }: Unfinished, object: Unmanaged): boolean {
  if (operation !== CREATING || kind !== object.type) return false;
  const { parent } = resources[kind];
  const isInside = parent === undefined || inputs[parent.key] === object.parentId;
  const isSameProject = (textOf(inputs, "projectId") ?? object.projectId) === object.projectId;
  const name = nameOf(resources[kind], inputs);
  return isInside && isSameProject && name !== undefined && name === object.objectName;
}

/** `*` matches any text. The whole name or id of the object must match. */
export function ignoring(patterns: readonly string[]): (object: Pick<Unmanaged, "id" | "objectName">) => boolean {
  return ({ id, objectName = "" }) => patterns.some((pattern) => fits(pattern, id) || fits(pattern, objectName));
}

/** Without a regular expression: one made of many `*` takes minutes on a long name. */
function fits(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  let end = text.startsWith(first) ? first.length : Infinity;
  for (const part of others) {
    const at = text.indexOf(part, end);
    end = at < 0 ? Infinity : at + part.length;
  }
  return text.length - last.length >= end && text.endsWith(last);
}
