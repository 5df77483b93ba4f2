// Handles a read that does not find the object. It reports "gone" only when the deployment, the project and its list are
// the right ones and the object is missing twice in a row; it warns when data are lost by that.

import { MissingError, ProviderError } from "../../domain/errors";
import { show, type Values } from "../../domain/values/value";
import type { Context } from "../session/context";
import { confirmAbsence } from "../state/deployment";
import { isDeleted, presenceOf } from "../session/presence";
import type { Scope, Target } from "../resources/observation";
import { unseenUntil } from "../state/unseen";
import { isProtected } from "../state/protection";

export interface Missing extends Target {
  props: Values;
  isRefresh: boolean;
  /** When the first read began. */
  sinceMs: number;
}

/** The object, if a second read finds it; undefined when it is gone and may be created again. */
export async function whenMissing(
  { warn, memory }: Pick<Context, "warn" | "memory">,
  missing: Missing,
): Promise<unknown> {
  const { resource, session, id, scope, label, props, isRefresh, deadlineMs } = missing;
  await confirmListLacks(missing, missing.sinceMs);
  if (session.clock.now() < (unseenUntil(session, props)?.() ?? 0)) {
    throw new ProviderError(
      "API",
      `${label} was made a moment ago and does not show yet; nothing was concluded`,
      "Run the refresh again in two minutes.",
    );
  }
  if (!isRefresh) {
    throw new ProviderError("INPUT", `there is no ${resource.noun} ${show(id)} in project ${scope.projectId}`);
  }
  await confirmAbsence(missing, memory, props);
  const againMs = session.clock.now() + session.pace.intervalMs;
  const again = await resource.reader(session, scope).nextPoll(id, { inMs: session.pace.intervalMs, deadlineMs });
  if (again !== undefined && !isDeleted(resource, again)) return again;
  await confirmListLacks(missing, againMs);
  const onMissing = props["onMissing"] ?? (isProtected(props) ? "error" : "recreate");
  if (onMissing === "error") throw mustStay(label, scope);
  warn(
    `${label} is gone: project ${scope.projectId} answers and does not have it. The next \`pulumi up\` makes a new${resource.holdsData === true ? " and EMPTY" : ""} one`,
  );
  return undefined;
}

/** Objects that are missing at the same time share the list, which proves as much as the read that misses each of them. */
async function confirmListLacks(missing: Missing, sinceMs: number): Promise<void> {
  const { label } = missing;
  if ((await presenceOf(missing, sinceMs)) === "gone") return;
  throw new ProviderError(
    "API",
    `${label}: asked for it alone, the server says that it is gone, but its list still has it; nothing was concluded`,
    "Run the refresh again.",
  );
}

function mustStay(label: string, { projectId }: Scope): MissingError {
  return new MissingError(
    `${label} is gone: project ${projectId} answers and does not have it. It stays in the state, so that no empty one takes its place`,
    'Restore it. To have a new and EMPTY one instead: set `onMissing: "recreate"` and `deletionProtection: false`, run `pulumi up` without a refresh, which saves that and calls nothing, then `pulumi up --refresh`, which makes it; then take both out again, or the new one stays unprotected. To only forget it, use `pulumi state delete`.',
  );
}
