// What a reader sees of an object, which is not always what the object is: fresh objects may be missing, old values may
// still show. Looking uses up the lagging reads, so each function stands for one answer sent.

import { look, type Track } from "./timeline";
import type { Unseen } from "./entities";

interface Seeable<B> {
  readonly track: Track<B>;
  readonly unseen: Unseen;
}

/** One GET by id. */
export function seeById<B extends { readonly status: string }>(entity: Seeable<B>, now: number): B | undefined {
  if (entity.unseen.getReads > 0) {
    entity.unseen.getReads -= 1;
    return undefined;
  }
  return now < entity.unseen.getUntil ? undefined : look(entity.track, now, true);
}

/** One appearance in a list. */
export function seeListed<B extends { readonly status: string }>(entity: Seeable<B>, now: number): B | undefined {
  if (entity.unseen.listReads > 0) {
    entity.unseen.listReads -= 1;
    return undefined;
  }
  return now < entity.unseen.listUntil ? undefined : look(entity.track, now, true);
}

/** The answer to a change: what a reader would see now, without counting as a read. */
export function seeAnswered<B extends { readonly status: string }>(entity: Seeable<B>, now: number): B | undefined {
  return look(entity.track, now, false);
}
