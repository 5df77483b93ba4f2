// Decodes the items of a list one by one. An item that does not fit the contract is named, and the others are kept.

import type { z } from "zod";
import { listed, type Listed, type Unreadable } from "../../domain/listed";
import { isPathId } from "../../domain/sharedFields";
import { membersOf, textOf, withoutUndefined } from "../../domain/values/value";

/** How the items of a list are read. By their `idKey` and `nameKey`, unreadable ones may still be identified. */
export interface Items<T> {
  schema: z.ZodType<T>;
  idKey: string;
  nameKey: string;
  /** As `vpcId` of an unreadable item. */
  vpcOf?: (this: void, item: Readonly<Record<string, unknown>>) => string | null | undefined;
}

/** Several items with one id count once: the first readable one. */
export function readItems<T>(raw: readonly unknown[], items: Items<T>): Listed<T> {
  const byId = new Map<string | undefined, T>();
  const unreadable: Unreadable[] = [];
  for (const item of raw) {
    const parsed = items.schema.safeParse(item);
    const id = textOf(membersOf(item), items.idKey);
    if (!parsed.success) unreadable.push(sketch(item, items, problemsOf(parsed.error)));
    else if (!byId.has(id)) byId.set(id, parsed.data);
  }
  const unknown = unreadable.filter(({ id }) => id === undefined || !byId.has(id));
  return listed([...byId.values()], unknown);
}

/** The parts that do not fit the contract, by path. The values are never shown. */
export function problemsOf(error: z.ZodError): string {
  const issues = error.issues.slice(0, 5).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
  });
  return issues.join("; ");
}

function sketch<T>(item: unknown, { idKey, nameKey, vpcOf }: Items<T>, problem: string): Unreadable {
  const members = membersOf(item);
  const id = textOf(members, idKey);
  return {
    ...withoutUndefined({
      id: id !== undefined && isPathId(id) ? id : undefined,
      name: textOf(members, nameKey),
      vpcId: vpcOf?.(members),
    }),
    problem,
  };
}
