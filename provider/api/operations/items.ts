// Decodes the items of a list one by one. An item that does not fit the contract is named, and the others are kept.

import type { z } from "zod";
import { listed, type Listed, type Unreadable } from "../../domain/listed";
import { isPathId } from "./wire";

/** The members by which an unreadable item may still be identified. */
export interface ItemKeys {
  idKey: string;
  nameKey?: string | undefined;
  /** As `vpcId` of an unreadable item. */
  vpcOf?: ((this: void, item: Readonly<Record<string, unknown>>) => string | null | undefined) | undefined;
}

export interface Items<T> extends ItemKeys {
  schema: z.ZodType<T>;
  idOf: (item: T) => string;
}

/** Several items with one id count once: the first readable one. */
export function readItems<T>(raw: readonly unknown[], { schema, idOf, ...keys }: Items<T>): Listed<T> {
  const byId = new Map<string, T>();
  const unreadable: Unreadable[] = [];
  for (const item of raw) {
    const parsed = schema.safeParse(item);
    if (!parsed.success) unreadable.push(sketch(item, keys, problemsOf(parsed.error)));
    else if (!byId.has(idOf(parsed.data))) byId.set(idOf(parsed.data), parsed.data);
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

function sketch(item: unknown, { idKey, nameKey, vpcOf }: ItemKeys, problem: string): Unreadable {
  const id = memberOf(item, idKey);
  const name = nameKey === undefined ? undefined : memberOf(item, nameKey);
  const isObject = typeof item === "object" && item !== null;
  const vpcId = isObject ? vpcOf?.(item as Readonly<Record<string, unknown>>) : undefined;
  return {
    ...(id !== undefined && isPathId(id) && { id }),
    ...(name !== undefined && { name }),
    ...(vpcId !== undefined && { vpcId }),
    problem,
  };
}

function memberOf(item: unknown, key: string): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const value = (item as Readonly<Record<string, unknown>>)[key];
  return typeof value === "string" ? value : undefined;
}
