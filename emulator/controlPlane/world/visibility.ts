// What a reader sees of an object, which may differ from its true state: new objects may be missing, and old values may
// still show. A read uses up one of the stale reads, so each function call stands for one answer sent.

import { visible, type Timeline } from "./timeline";
import type { Hidden } from "./entities";

interface Seeable<B> {
  readonly timeline: Timeline<B>;
  readonly hidden: Hidden;
}

/** One GET by id. */
export function readById<B extends { readonly status: string }>(entity: Seeable<B>, now: number): B | undefined {
  return isHiddenFrom(entity.hidden, "get", now) ? undefined : visible(entity.timeline, now, true);
}

/** One appearance in a list. */
export function readListed<B extends { readonly status: string }>(entity: Seeable<B>, now: number): B | undefined {
  return isHiddenFrom(entity.hidden, "list", now) ? undefined : visible(entity.timeline, now, true);
}

function isHiddenFrom(hidden: Hidden, reader: "get" | "list", now: number): boolean {
  if (hidden[`${reader}Reads`] === 0) return now < hidden[`${reader}Until`];
  hidden[`${reader}Reads`] -= 1;
  return true;
}

/** The answer to a change: what a read would see at that moment, without counting as a read. */
export function bodyInAnswer<B extends { readonly status: string }>(entity: Seeable<B>, now: number): B | undefined {
  return visible(entity.timeline, now, false);
}
