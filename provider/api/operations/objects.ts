// How the objects of answers are read: a row per member says where it stands on the wire, what it may be, and for an optional
// one what it means that an answer has no value for it. There are three answers: a value, `null` for "shown as none", and
// `undefined` for "not shown". The row alone decides between the last two.
// API: absence, `null`, `""`, `{}`, an empty list, and 0 as a port or a size all say the same, by server: no value. 0 as a
// count or as an amount of usage is a value, and so is `false`.
// The meaning counts only for a settled object: a change under way may hide a member for a moment. It counts in a read of the
// object by itself, and in a list that shows the member of another object. In any other list no value only means: read it by
// its id.

import { z } from "zod";

type OptionalKey<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** `on`: its names on the wire; the first one under which it has a value counts. */
interface Named<V> {
  readonly on: readonly string[];
  readonly schema: z.ZodType<V>;
}

/** A member that may be missing. `absent`: what no value means beside the other members; undefined: it is not shown. */
interface Optional<T, V> extends Named<V | null> {
  readonly absent: ((part: T) => V) | undefined;
}

/** Each member needs its row, or nobody would ever see it. A schema alone is on the wire under our name in snake_case. */
export type Members<T> = {
  readonly [K in keyof T]-?: K extends OptionalKey<T> ? Optional<T, T[K]> : Named<T[K]> | z.ZodType<T[K]>;
};

type MemberRow<T> = Optional<T, T[keyof T]> | Named<unknown> | z.ZodType;

/** How an object is read. */
export interface Shape<T> {
  readonly schema: z.ZodType<T>;
  /** The members whose absence can mean something. */
  readonly deciding: readonly (readonly [key: keyof T, absent: (part: T) => T[keyof T]])[];
}

/** Members that may be missing are left out where they have no value, however the server says that. */
export function object<T extends object>(members: Members<T>): Shape<T> {
  const rows = (Object.entries(members) as [keyof T & string, MemberRow<T>][]).map(([key, member]) => {
    const { on, schema } = "on" in member ? member : { on: [], schema: member };
    const optional = "absent" in member ? member : undefined;
    return { key, on: on.length === 0 ? [snakeCase(key)] : on, schema, optional };
  });
  const wire = z.object(Object.fromEntries(rows.flatMap(({ on, schema }) => on.map((name) => [name, schema]))));
  // A schema per member could do it too, at three times the cost of everything else in a list of a thousand services.
  const schema = wire.transform((shown) => {
    const found: Record<string, unknown> = {};
    for (const { key, on, optional } of rows) {
      for (const name of on) {
        const value = shown[name];
        if (value === undefined || value === null || (value === "" && optional !== undefined)) continue;
        found[key] = value;
        break;
      }
    }
    return found as T;
  });
  const deciding = rows.flatMap(({ key, optional }) => (optional?.absent ? [[key, optional.absent] as const] : []));
  return { schema, deciding };
}

/** An object of optional members only, which has no value itself when none of them has one. */
export function some<T extends object>({ schema }: Shape<T>): z.ZodType<T | undefined> {
  return schema.transform((found) => (Object.keys(found).length === 0 ? undefined : found));
}

/** No value: the server does not show it. */
export function notShown<V>(schema: z.ZodType<V>, ...on: string[]): Optional<unknown, V | undefined> {
  return { on, schema: schema.nullish(), absent: undefined };
}

/** No value: the object has none of it. */
export function orNone<V>(schema: z.ZodType<V>, ...on: string[]): Optional<unknown, V | null | undefined> {
  return { on, schema: schema.nullish(), absent: () => null };
}

/** No value: as the other members say. */
export function orElse<T, V>(schema: z.ZodType<V>, absent: (part: T) => V, ...on: string[]): Optional<T, V> {
  return { on, schema: schema.nullish() as z.ZodType<V | null>, absent };
}

/** `vpcId` is `vpc_id`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Fills in what no value means, in objects of one answer. `isAlone`: the answer is about one object. */
export type Completion<T> = (objects: readonly T[], isAlone: boolean) => void;

/** For one shape that stands in the objects, or is theirs. */
export function completion<T, Part extends object>(
  { deciding }: Shape<Part>,
  partsOf: (object: T) => readonly (Part | null | undefined)[],
  isSettled: (object: T) => boolean,
): Completion<T> {
  return (objects, isAlone) => {
    for (const [key, absent] of deciding) {
      const isShown = (one: T): boolean => partsOf(one).some((part) => part?.[key] !== undefined);
      if (!isAlone && !objects.some(isShown)) continue;
      for (const part of objects.filter(isSettled).flatMap(partsOf)) {
        if (part !== undefined && part !== null && part[key] === undefined) part[key] = absent(part);
      }
    }
  };
}

export function all<T>(...completions: readonly Completion<T>[]): Completion<T> {
  return (objects, isAlone) => {
    for (const complete of completions) complete(objects, isAlone);
  };
}
