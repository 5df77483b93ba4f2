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
  if (entity.hidden.getReads > 0) {
    entity.hidden.getReads -= 1;
    return undefined;
  }
  return now < entity.hidden.getUntil ? undefined : visible(entity.timeline, now, true);
}

/** One appearance in a list. */
export function readListed<B extends { readonly status: string }>(entity: Seeable<B>, now: number): B | undefined {
  if (entity.hidden.listReads > 0) {
    entity.hidden.listReads -= 1;
    return undefined;
  }
  return now < entity.hidden.listUntil ? undefined : visible(entity.timeline, now, true);
}

/** The answer to a change: what a read would see at that moment, without counting as a read. */
export function bodyInAnswer<B extends { readonly status: string }>(entity: Seeable<B>, now: number): B | undefined {
  return visible(entity.timeline, now, false);
}
