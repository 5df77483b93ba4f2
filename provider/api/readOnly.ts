// Refuses changes before they are sent: all of them, or those of objects with the environment tag PROD. It stands before
// every call of a client, so that no caller can go past it.

import type { ReadOnly } from "../domain/config/readOnly";
import { absentIfMissing, RefusedError } from "../domain/errors";
import type { Service } from "../domain/service";
import type { Clock } from "../domain/values/clock";
import { isProductionTag } from "../domain/sharedFields";
import type { CallOptions } from "./http/state";
import type { Caller } from "./http/call";
import { encodeRequest } from "./operations/request";
import { isChange, type Operation } from "./operations/operation";
import { operations } from "./operations";

/** `true` refuses every change, `"prod"` those of what is tagged PROD; with `ReadOnly` the error says the remedy. */
export type ReadOnlyOption = boolean | "prod" | ReadOnly;

/** An object that can have an environment tag. */
export interface Tagged {
  kind: "service" | "readReplicaSet";
  id: string;
}

interface GuardOptions {
  readOnly?: ReadOnlyOption | undefined;
  isTaggedProd?: ((object: Tagged) => boolean) | undefined;
  clock: Clock;
}

const REMEDY = "This client was made with `readOnly`; to change things, make one without.";

/** The same caller, without the changes that `readOnly` refuses. */
export function guardChanges(call: Caller, options: GuardOptions): Caller {
  const readOnly = readOnlyOf(options.readOnly);
  if (readOnly === undefined) return call;
  return async (operation, input, limits) => {
    if (isChange(operation)) {
      const why = readOnly.objects === "all" ? ALL : await whyProd(call, options, operation, input as object, limits);
      if (why !== undefined) {
        // An invalid input throws its own error here.
        const { subject } = encodeRequest(operation, input);
        throw new RefusedError(`${subject.label}: refused, because ${why}; nothing was sent`, readOnly.remedy);
      }
    }
    return call(operation, input, limits);
  };
}

const ALL = "changes are not allowed here (read-only)";

function readOnlyOf(option: ReadOnlyOption | undefined): ReadOnly | undefined {
  if (option === undefined || option === false) return undefined;
  if (typeof option === "object") return option;
  return { objects: option === true ? "all" : "prod", remedy: REMEDY };
}

interface Ids {
  projectId?: unknown;
  serviceId?: unknown;
  replicaSetId?: unknown;
  environment?: unknown;
}

/** Why a call changes something that is tagged PROD; undefined when it does not. */
async function whyProd(
  call: Caller,
  { isTaggedProd = () => false, clock }: GuardOptions,
  { repeat, leavesPath }: Pick<Operation<never, unknown>, "repeat" | "leavesPath">,
  { environment, projectId, serviceId, replicaSetId }: Ids,
  { signal, deadlineMs }: CallOptions = {},
): Promise<string | undefined> {
  // What gets the tag is as good as tagged: the other steps of the same change would be refused half-way.
  if (environment === "PROD") return `${repeat === "notIdempotent" ? "the new one is" : "it is to be"} ${FORBIDDEN}`;
  if (leavesPath === true || typeof projectId !== "string" || typeof serviceId !== "string") return undefined;
  const named: Tagged[] = [
    { kind: "service", id: serviceId },
    ...(typeof replicaSetId === "string" ? [{ kind: "readReplicaSet" as const, id: replicaSetId }] : []),
  ];
  const stored = named.find(isTaggedProd);
  if (stored !== undefined) return `${describe(stored)} is recorded as ${FORBIDDEN}`;
  for (let reads = 1; ; reads += 1) {
    const answer = call(operations.services.get, { projectId, serviceId }, { signal, deadlineMs });
    const live = await absentIfMissing(answer);
    const tagged = named.find((object) => live !== undefined && isProd(live, object));
    if (tagged !== undefined) return `${describe(tagged)} is ${FORBIDDEN}`;
    if (live?.environment !== undefined || reads === READS_WITHOUT_TAG) return undefined;
    await clock.sleep(READ_AGAIN_MS, signal);
  }
}

/** API: a field, or the whole object, may vanish for a moment. */
const READS_WITHOUT_TAG = 3;
const READ_AGAIN_MS = 1_000;

const FORBIDDEN = "tagged PROD, and changes of that are not allowed here (read-only)";

function describe({ kind, id }: Tagged): string {
  return `${kind === "service" ? "service" : "read replica set"} ${id}`;
}

function isProd(service: Service, { kind, id }: Tagged): boolean {
  const sets = service.readReplicaSets.filter(({ replicaSetId }) => replicaSetId === id);
  const tags = kind === "service" ? [service.environment] : sets.map(({ environment }) => environment);
  return tags.some(isProductionTag);
}
