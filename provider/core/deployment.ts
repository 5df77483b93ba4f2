// Decides which deployment of the API an object belongs to. Another deployment may accept the same key and project but not
// have the object, or have another object with the same numeric id. The state keeps the addresses at which the object has
// answered. At any other address a change or delete needs the object itself, and "gone" needs the user's word that this
// deployment had one of those addresses before.

import { RefusedError } from "../domain/errors";
import { shellWord } from "../domain/values/printable";
import { isEqual, type Values } from "../domain/values/value";
import { confirmCreation, presenceIn, provePresence } from "./presence";
import type { Target } from "./operation";
import type { Resource } from "./kind";
import type { Reported } from "./reported";
import type { Session } from "./session";
import { isOther } from "./compare";
import { addressesOf, shownBefore } from "./state";

/** Confirms that the object exists and is the same, before a change or delete at an address where it never answered. */
export async function confirmObject(target: Target, state: Values): Promise<void> {
  const { resource, context, session, id, scope, label, deadlineMs } = target;
  if (isAtKnownAddress(session, state)) return;
  const item = await resource.reader(session, scope).get(id, { deadlineMs });
  if (item !== undefined && presenceIn(item).is === "shown") return confirmIdentity(target, state, item);
  await confirmAbsence(target, state);
  const presence = await provePresence(target);
  if (presence.is === "unproven") throw presence.error;
  if (presence.is === "shown") return confirmIdentity(target, state, presence.item);
  // The setting may be one of long ago.
  const { baseUrl, formerBaseUrl = "" } = session.config;
  context.warn(
    `${label} counts as gone: ${baseUrl} does not have it, and formerBaseUrl says that this deployment was at ${formerBaseUrl} before`,
  );
}

/**
 * An object is its id and the time of its creation. API: a server that was restored may give an id again. One that was read at
 * another address must also equal the object of the state in all inputs that never change.
 */
export function confirmIdentity(target: Target, state: Values, item: Reported): void {
  const { resource, session, label } = target;
  confirmCreation(target, state["created"], item);
  if (isAtKnownAddress(session, state) || isSameObject(resource, state, item)) return;
  throw otherDeployment(
    session,
    state,
    `${label}: the object with this id at ${session.config.baseUrl} is another ${resource.noun}`,
  );
}

/** Called when a read does not find the object. Throws at an address where it never answered, unless that is a new name. */
export async function confirmAbsence(target: Target, state: Values): Promise<void> {
  const { resource, session, scope, label, deadlineMs } = target;
  // A wrong project, a missing permission or a proxy causes a specific error here.
  await session.services(scope.projectId).list({ maxAgeMs: session.pace.intervalMs, deadlineMs });
  const { formerBaseUrl } = session.config;
  const isRenamed = formerBaseUrl !== undefined && addressesOf(state).includes(formerBaseUrl);
  if (isRenamed || isAtKnownAddress(session, state)) return;
  throw otherDeployment(session, state, `${label}: ${session.config.baseUrl} has no such ${resource.noun}`);
}

/** Old states name no address: every address counts as known. */
function isAtKnownAddress(session: Session, state: Values): boolean {
  const known = addressesOf(state);
  const current = session.config.baseUrl;
  return known.length === 0 || current === undefined || known.includes(current);
}

function isSameObject(resource: Resource, state: Values, item: Reported): boolean {
  const live = item.live();
  const shown = shownBefore(state);
  return Object.entries(resource.fields)
    .filter(([, field]) => (field.change === "fixed" || field.change === "replaces") && field.keptAsAsked !== true)
    .every(([key, field]) => !isOther(field, state[key], live[key]) || isEqual(shown[key], live[key]));
}

function otherDeployment(session: Session, state: Values, what: string): RefusedError {
  const recorded = addressesOf(state)[0] ?? "";
  return new RefusedError(
    "other-deployment",
    `${what}, and the state recorded it at ${recorded}: this may be another deployment; nothing was changed`,
    `If the address is wrong, set DBCLOUD_BASE_URL=${shellWord(recorded)}. If it is the same deployment under a new address, set DBCLOUD_FORMER_BASE_URL=${shellWord(recorded)}, or \`dbcloud:formerBaseUrl\`.`,
  );
}
