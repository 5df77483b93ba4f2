// The result of a list of the API: the readable items, and what is known of the unreadable ones. An unreadable item exists:
// it never counts as gone, and its name is taken.

import { oneLine } from "./values/printable";
import { show } from "./values/value";

/** An unreadable item of a list. */
export interface Unreadable {
  /** Absent if the id is unreadable too: then the item may be any object of the list. */
  id?: string | undefined;
  name?: string | undefined;
  /** The VPC of a service, null if it shows none. Absent if it is unreadable, or in one that is not shown. */
  vpcId?: string | null | undefined;
  /** The member that is wrong; never a value. */
  problem: string;
}

/** The readable items of a list; `unreadable` names the others. */
export interface Listed<T> extends Array<T> {
  readonly unreadable: readonly Unreadable[];
}

/** Not enumerable, so that the list compares, copies and prints like a plain array. */
export function listed<T>(items: T[], unreadable: readonly Unreadable[] = []): Listed<T> {
  return Object.defineProperty(items, "unreadable", { value: unreadable }) as Listed<T>;
}

/** The unreadable items of a list, or of a member that is a list; none for any other array. */
export function unreadableOf(items: readonly unknown[]): readonly Unreadable[] {
  return (items as { unreadable?: readonly Unreadable[] }).unreadable ?? [];
}

const unshown = new WeakSet<object>();

/** For a member that is a list, and for which the answer has no value: the object may have none, or the server not show it. */
export function notShownList<T>(): Listed<T> {
  const list = listed<T>([]);
  unshown.add(list);
  return list;
}

export function isShown(list: readonly unknown[]): boolean {
  return !unshown.has(list);
}

const wholes = new WeakSet<object>();

/** Records that the answer was about this object alone, and so shows all that the server shows of it. */
export function asWhole<T extends object>(object: T): T {
  wholes.add(object);
  return object;
}

export function isWhole(object: unknown): boolean {
  return typeof object === "object" && object !== null && wholes.has(object);
}

/** Whether a list shows nothing, readable or not. */
export function isEmpty(list: readonly unknown[]): boolean {
  return list.length === 0 && unreadableOf(list).length === 0;
}

/** Whether an unreadable item is, or may be, the object with the id. */
export function mayHold(list: readonly unknown[], id: string): boolean {
  return unreadableOf(list).some((item) => item.id === undefined || item.id === id);
}

/** Whether the object with the id is certainly not in the list. */
export function lacks<T>(list: readonly T[], id: string, idOf: (item: T) => string): boolean {
  return !mayHold(list, id) && !list.some((item) => idOf(item) === id);
}

/** For a message: the item, and its problem. */
export function describeUnreadable({ id, name, problem }: Unreadable): string {
  const words = [name === undefined ? undefined : show(name), id === undefined ? undefined : `(${oneLine(id)})`];
  const which = words.filter((word) => word !== undefined).join(" ");
  return `${which === "" ? "one without a readable id" : which}: ${problem}`;
}

/** The time that lists have watched: between the answers of two, at most `gapMs`. */
export function createWatch(gapMs: number) {
  let [watchedMs, lastMs] = [0, Number.POSITIVE_INFINITY];
  const until = (nowMs: number): number => watchedMs + Math.min(Math.max(0, nowMs - lastMs), gapMs);
  return {
    until,
    /** A list was answered. */
    looked(nowMs: number): number {
      [watchedMs, lastMs] = [until(nowMs), nowMs];
      return watchedMs;
    },
  };
}
