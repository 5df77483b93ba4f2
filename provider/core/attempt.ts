// The data of one create under way.

import { InputError } from "../domain/errors";
import { inOneForm, UNKNOWN, type Values } from "../domain/values/value";
import type { Opened } from "./operation";
import type { Resource } from "./kind";
import type { PollOptions } from "./session";
import type { EntryFacts } from "./runLog";
import { isNamed } from "./state";
import type { Identity, RunView } from "./runView";

/** One create attempt. */
export interface CreateAttempt extends Opened {
  readonly inputs: Values;
  /** The objects that the new one replaces: the live one, and those of earlier runs that are still to be deleted. */
  readonly predecessors: readonly EntryFacts[];
  /** The object that the server counts as changing during the create, such as the service of a replica set. */
  readonly parent: Affected | undefined;
}

/** Another object that the create changes: what the new one is in, or the one that it copies. */
export interface Affected {
  /** The lock that is held while the create is sent. */
  readonly lock: string;
  /** Whether the new object is a part of it, so that the lock is held until that is up. */
  readonly isPart: boolean;
  /** How long it may be too young for the create. */
  readonly tooEarlyMs: number;
  /** Polls it once. */
  isIdle(poll: PollOptions): Promise<boolean>;
}

// The identities that the resources of one program declare: what two objects have in common that look like one. Two resources
// of one identity cannot both be created, and a preview reports that. The view of the run holds them.

interface Declaring {
  identity: Identity | undefined;
  inputs: Values;
  /** The inputs in the state; empty if the resource is to be created. */
  olds: Values;
  account: Account;
}

/** Where objects are created unless their inputs say otherwise. */
export interface Account {
  projectId?: string | undefined;
  baseUrl?: string | undefined;
}

/** Records what the resource declares, or returns the error of its clash with another resource of the program. */
export function declare(
  resource: Resource,
  view: RunView,
  { identity, inputs, olds, account }: Declaring,
): InputError | undefined {
  const projectId = typeof inputs["projectId"] === "string" ? inputs["projectId"] : (account.projectId ?? "");
  const place = `${account.baseUrl ?? ""} ${resource.kind}/${projectId}`;
  const name = resource.identity(inputs, { projectId });
  if (`${place} ${name}`.includes(UNKNOWN)) return undefined;
  const isNew = Object.keys(olds).length === 0;
  const words = inOneForm(name);
  const before = isNew ? undefined : inOneForm(resource.identity(olds, { projectId }));
  const isAlone = before !== words && !(isNew && inputs["adoptId"] !== undefined);
  const same = view.declaredBeside(identity, place, words).find((other) => isAlone || other.isAlone);
  if (same === undefined) {
    view.declares(identity, { place, words, before, isAlone });
    return undefined;
  }
  const path = isNamed(resource) ? "name" : (resource.parent?.key ?? "");
  return new InputError(
    "declared-twice",
    path,
    `${path}: ${resource.noun} ${name} is declared twice, also by ${same.name}; nothing was sent for this one`,
    remedy(resource),
  );
}

/** The remedy for a program that declares two objects of one name. */
export function remedy(resource: Resource): string {
  return isNamed(resource)
    ? "Names are unique in a project for this provider: give one of them another `name`. To move a name from one resource to another, rename the one that has it in a run of its own."
    : "Keep one of the two.";
}
