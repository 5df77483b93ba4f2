// Builds the errors of an operation that ends early. They carry the id and the landed steps to the state, and say which steps
// did not land and why.

import { ApiError, InputError, messageOf, PartialError, ProviderError } from "../../domain/errors";
import { pick, type Values } from "../../domain/values/value";
import type { Live, Step } from "../../plan/step";
import { addressOf } from "../state/deployment";
import { ownerMark } from "../view/entry";
import { type Run, touchedBy } from "./run";
import {
  againEntry,
  keysWhere,
  inputKeys,
  managedKeys,
  objectKeys,
  MOVED,
  owedOf,
  SETTLE,
  visible,
  withoutDrift,
  writeState,
} from "../state/state";
import { storedProtection } from "../state/protection";
import { storedUnseenUntil } from "../state/unseen";

export interface Before {
  /** The state before the operation; empty for a create. */
  olds: Values;
  /** The inputs that the engine sent. */
  raw: Values;
  shownOnce?: Values | undefined;
  /** The mark of a new object. */
  owner?: string | undefined;
}

/** The owed entry of a step that was not reached. */
function owedEntry({ operation, isAgain }: Step): string {
  return isAgain === true ? againEntry(operation) : operation;
}

export function asPartial(run: Run, before: Before, error: unknown): PartialError {
  const { resource, observed, scope, id, label } = run;
  const { olds, raw, shownOnce } = before;
  const news = visible(raw);
  const shown: Live = observed === undefined ? {} : resource.live(observed, scope);
  const live = withoutDrift(resource, shown, olds, news, touchedBy(run));
  // Without a plan, the owed steps of the previous run still apply.
  const owed = run.remaining?.map(owedEntry) ?? owedOf(olds).filter((entry) => entry !== MOVED);
  const hasMoved = owedOf(olds).includes(MOVED) || [...run.landed, run.failed].some((step) => step?.movesAddresses);
  const state = writeState({
    resource,
    item: observed,
    live,
    asked: { ...askedAsLanded(run, olds, news), ...storedProtection(resource, news, { ...olds, ...live }) },
    olds,
    projectId: scope.projectId,
    managed: [...new Set([...managedKeys(olds), ...inputKeys(raw)])],
    owed: [...(owed.length === 0 ? [SETTLE] : owed), ...(hasMoved ? [MOVED] : [])],
    shownOnce,
    // The object's create was answered at this address, or the object was read there.
    address: run.unseenUntilMs !== undefined || observed !== undefined ? addressOf(run.session) : undefined,
    unseenUntilMs: storedUnseenUntil(run.session, run.unseenUntilMs?.()),
    owner: before.owner ?? ownerMark(resource, run.context.memory.view, { ...olds, ...news }),
  });
  const hint = error instanceof ProviderError ? error.hint : undefined;
  const history = `${label} exists and is kept in the state, but is not as declared yet.\n${describeRun(run, error)}`;
  const refused = refusedValue(run, error);
  const nextStep =
    refused === undefined
      ? "The next `pulumi up` goes on from here and does only what is missing."
      : `${refused}; the next \`pulumi up\` then goes on from here.`;
  return new PartialError(id, state, [[history, ...(hint === undefined ? [] : [hint]), nextStep].join("\n")], {
    cause: error,
  });
}

/** The error of a run that ended before it changed anything: the state stays as it is, and the user gets the report. */
export function asUntouched(run: Run, error: unknown): unknown {
  if (run.failed === undefined || !(error instanceof ProviderError)) return error;
  const { code, hint } = error;
  const refused = refusedValue(run, error);
  const hints = [...(hint === undefined ? [] : [hint]), ...(refused === undefined ? [] : [`${refused}.`])];
  const message = `${run.label} is as it was.\n${describeRun(run, error)}`;
  return new ProviderError(code, message, hints.length === 0 ? undefined : hints.join("\n"), { cause: error });
}

/** The remedy for a value that the server would refuse again; undefined for other failures. */
function refusedValue({ failed }: Run, error: unknown): string | undefined {
  if (error instanceof InputError) return `Change \`${error.path}\` in the program`;
  const isBad = error instanceof ApiError && error.category === "badRequest" && [400, 422].includes(error.status);
  // A call without a value (start, enablePooler) is refused because of the object, not the value.
  if (!isBad || failed === undefined || Object.keys(failed.request).length === 0) return undefined;
  const inputs = failed.properties.map((key) => `\`${key}\``).join(" or ");
  return `The server refuses this value. Change ${inputs} in the program`;
}

/** Inputs that the server never shows: the new value if the create sent it or it has landed, otherwise the old value. */
function askedAsLanded(run: Run, olds: Values, news: Values): Values {
  const landed = new Set<string>(run.landed.flatMap((step) => step.properties));
  const asked = keysWhere(run.resource, ({ change }, key) => change !== "inPlace" || landed.has(key));
  return { ...pick(olds, objectKeys(run.resource)), ...pick(news, asked) };
}

/** The report of a run that ended early. */
function describeRun(run: Run, error: unknown): string {
  const { failed, landed, remaining = [] } = run;
  const later = remaining.filter((step) => step !== failed).map((step) => step.operation);
  return [
    messageOf(error),
    ...(failed === undefined ? [] : [`failed: ${failed.operation}`]),
    ...(landed.length === 0 ? [] : [`done: ${landed.map((step) => step.operation).join(", ")}`]),
    ...(later.length === 0 ? [] : [`not tried: ${later.join(", ")}`]),
  ].join("\n");
}
