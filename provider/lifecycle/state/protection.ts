// Deletion protection: by the stored flag of the state, by another entry of the state for the same object, and by the
// tag of the live object.

import { isRecorded } from "./state";
import { RefusedError } from "../../domain/errors";
import { objectOf } from "./memory";
import type { Removal } from "../converge/removal";
import type { Values } from "../resources/resource";
import type { Session } from "../session/session";

/** Time limit of the read before a delete. */
const READ_LIMIT_MS = 10_000;

/** `isDeclared`: the program of this run has a resource of the same URN. */
export function protectedError(label: string, isDeclared: boolean): RefusedError {
  return new RefusedError(
    `${label} is protected against deletion (deletionProtection is stored as true); nothing was deleted`,
    [ORDINARY, ...(isDeclared ? [REPLACED] : [])].join("\n"),
  );
}

const ORDINARY =
  "To really delete it, set `deletionProtection: false`, run `pulumi up`, then delete or destroy. To only forget it, use `pulumi state delete` or `retainOnDelete`.";

/** Pulumi: no update is called for an entry that is to be deleted, and its URN alone is ambiguous to `pulumi state`. */
const REPLACED =
  'If a new one has replaced it already (the preview shows `delete original`), `pulumi up` cannot change its protection: run `pulumi state delete` with its URN in a terminal and choose the one with "Pending Deletion". Pulumi then forgets it, and it stays in the cloud, where it costs until you delete it.';

/**
 * The stored flag decides, but an entry can be out of date: of two entries for one object the other one may be protected
 * since. A read shows the tag, and meanwhile the other entry's delete, which comes at the same time, records its
 * protection.
 */
export async function refuseIfLiveIsProtected(
  { resource, context: { memory }, session, id, scope, label, deadlineMs }: Removal,
  props: Values,
): Promise<void> {
  if (!("deletionProtection" in resource.fields)) return;
  const item = await soonOrNothing(session, resource.reader(session, scope).fetch(id, deadlineMs));
  if (memory.protectedObjects.has(objectOf(resource, id))) throw protectedByOther(label);
  if (item === undefined || props["environment"] === "PROD") return;
  const live: Values = { ...resource.live(item, scope) };
  const isKnown = !isRecorded(props) || props["environment"] !== undefined;
  if (isKnown && live["environment"] === "PROD") throw taggedSince(label);
}

function protectedByOther(label: string): RefusedError {
  return new RefusedError(
    `${label} has two entries in the state, and the other one is protected against deletion; nothing was deleted`,
    "Run `pulumi up`: the entry that is to be deleted leaves the state, and the object stays.",
  );
}

function taggedSince(label: string): RefusedError {
  return new RefusedError(
    `${label} has the environment tag PROD, which this entry of the state does not know; nothing was deleted`,
    "If it is to go, set `deletionProtection: false` and run `pulumi up`, or take the tag off it; then run the same command again. If another resource of the state has the same id, run `pulumi up` instead: the object stays.",
  );
}

/** The answer of the read, if it comes soon: a broken object must be deletable, so a slow or failed read is ignored. */
async function soonOrNothing<T>({ clock }: Session, read: Promise<T | undefined>): Promise<T | undefined> {
  const over = new AbortController();
  const limit = clock.sleep(READ_LIMIT_MS, over.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([read.catch(() => undefined), limit]);
  } finally {
    over.abort();
  }
}
