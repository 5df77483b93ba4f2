// What a list of the API showed: the items that could be read, and what is known of those that could not. One that cannot
// be read is there all the same: it is never taken for gone, and its name is taken.

import { oneLine } from "./values/printable";
import { show } from "./values/value";

/** An item of a list that could not be read. */
export interface Unreadable {
  /** Absent where not even that could be read: then it may be any object of the list. */
  id?: string | undefined;
  name?: string | undefined;
  /** Of a service: the VPC that it is in, null for none. Absent where that could not be read. */
  vpcId?: string | null | undefined;
  /** Which member was wrong; never a value. */
  problem: string;
}

/** The items of a list that could be read; `unreadable` names the others. */
export interface Listed<T> extends Array<T> {
  readonly unreadable: readonly Unreadable[];
}

/** Not enumerable, so that the list compares, copies and prints as the array that it is. */
export function listed<T>(items: T[], unreadable: readonly Unreadable[] = []): Listed<T> {
  return Object.defineProperty(items, "unreadable", { value: unreadable }) as Listed<T>;
}

/** Of a list, or of a member that is one; none for any other array. */
export function unreadableOf(items: readonly unknown[]): readonly Unreadable[] {
  return (items as { unreadable?: readonly Unreadable[] }).unreadable ?? [];
}

/** Whether one of those that could not be read is, or may be, the object of that id. */
export function mayHold(list: readonly unknown[], id: string): boolean {
  return unreadableOf(list).some((item) => item.id === undefined || item.id === id);
}

/** Whether the object of that id is surely not in the list. */
export function lacks<T>(list: readonly T[], id: string, idOf: (item: T) => string): boolean {
  return !mayHold(list, id) && !list.some((item) => idOf(item) === id);
}

/** For a message: which one, and what is wrong with it. */
export function describeUnreadable({ id, name, problem }: Unreadable): string {
  const words = [name === undefined ? undefined : show(name), id === undefined ? undefined : `(${oneLine(id)})`];
  const which = words.filter((word) => word !== undefined).join(" ");
  return `${which === "" ? "one without a readable id" : which}: ${problem}`;
}
