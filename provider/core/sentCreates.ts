// What an earlier run has sent and never recorded: the note of each create, which the next run reads, and how long its object may
// still show. Written before the POST, it ends when the engine records the object, or the server has refused it.

import { RefusedError } from "../domain/errors";
import type { Listed } from "../domain/listed";
import { isPathId } from "../domain/sharedFields";
import { formatDuration } from "../domain/values/duration";
import { shellWord } from "../domain/values/printable";
import { show, type Values } from "../domain/values/value";
import type { CreateAttempt, Naming, Target } from "./operation";
import { canShow, createListWatch, doubtMs } from "./patience";
import type { Reported } from "./reported";

/** By what a create that has not ended is known to the next run. */
function keyOf({ resource, session, inputs, scope }: Naming): string {
  return `sent ${session.config.baseUrl} ${resource.kind} ${JSON.stringify(scope)} ${resource.identity(inputs, scope)}`;
}

/** What an earlier run has sent. */
interface Sent {
  /** When, by the server's time; NaN if none did, or its create has ended. */
  readonly sentMs: number;
  /** The list showed nothing of its kind before it, so that a list which shows nothing may be true. */
  readonly isFirst: boolean;
  /** What may be its object. */
  readonly ids: readonly string[];
}

export function readSent(naming: Naming): Sent {
  const [sent = "", ...ids] = naming.context.memory.notes.read(keyOf(naming))?.split("\n") ?? [];
  const [ms = Number.NaN, isFirst] = sent === "" ? [] : sent.split(" ");
  return { sentMs: Number(ms), isFirst: isFirst !== undefined, ids: ids.filter(isPathId) };
}

export function writeSent(naming: Naming, { sentMs, isFirst, ids }: Sent): void {
  naming.context.memory.notes.write(keyOf(naming), [`${sentMs}${isFirst ? " first" : ""}`, ...ids].join("\n"));
}

/** The state has the object, so its create has ended. */
export function forgetRecorded(target: Target, state: Values): void {
  const naming = { ...target, inputs: state, predecessors: [] };
  if (readSent(naming).ids.includes(target.id)) target.context.memory.notes.write(keyOf(naming), undefined);
}

/** Writes down what may be the object of that create, beside what stands there. */
export function addCandidates(naming: Naming, shown: readonly string[]): void {
  const sent = readSent(naming);
  if (!Number.isNaN(sent.sentMs)) writeSent(naming, { ...sent, ids: [...new Set([...sent.ids, ...shown])] });
}

/** Its create has ended, and the engine records what it made. Without an engine nobody does, whatever was answered. */
export function forgetSent(attempt: CreateAttempt): void {
  const { signal, memory } = attempt.context;
  if (!signal.aborted) memory.notes.write(keyOf(attempt), undefined);
}

/**
 * What an earlier run has sent, and has not recorded, may show late. Until it must have shown, and lists that could show it have
 * lacked it for the time that proves an absence, its name is not free. Told each list, it returns how long that still takes.
 */
export function watchForSent(naming: Naming, operation: string): (list: Listed<Reported>) => Promise<number> {
  const { resource, context, session, inputs, scope, deadlineMs, id } = naming;
  const { clock, client, pace } = session;
  const { projectId } = scope;
  const watch = createListWatch(session);
  const refusal = (why: string, hint: string): RefusedError =>
    new RefusedError(
      "name-in-doubt",
      `${operation} of ${resource.noun} ${resource.identity(inputs, scope)}: ${why}; nothing was sent`,
      hint,
    );
  return async (list) => {
    const sent = readSent(naming);
    // None, or the create whose object this run gives its name.
    if (Number.isNaN(sent.sentMs) || (id !== undefined && sent.ids.includes(id))) return 0;
    const recent = { maxAgeMs: pace.intervalMs, deadlineMs };
    const own = resource.parent === undefined ? list : await resource.listAll?.(session, scope, recent);
    const isBelieved = sent.isFirst || (resource.parent === undefined && context.believesGone(projectId));
    const couldShow = canShow(resource.parent !== undefined, own) || isBelieved;
    const watchedMs = clock.now() - watch(couldShow);
    // A clock may have been set back since.
    const sentMs = Math.min(sent.sentMs, client.serverTime());
    if (sentMs < sent.sentMs) writeSent(naming, { ...sent, sentMs });
    const lateMs = sentMs + doubtMs(session, "afterChange") - client.serverTime();
    const leftMs = Math.max(lateMs, doubtMs(session, "gone") - watchedMs);
    const since = `an earlier run sent a create of it at ${new Date(sentMs).toISOString()} and recorded nothing`;
    if (leftMs <= 0) {
      if (couldShow) return 0;
      const { parent } = resource;
      throw parent === undefined
        ? refusal(
            `${since}, and project ${projectId} shows no ${resource.noun} at all: this may be an outage`,
            `If all of them were deleted, run once with DBCLOUD_BELIEVE_GONE=${shellWord(projectId)}.`,
          )
        : refusal(
            `${since}, and its ${parent.noun} ${show(scope[parent.key])} is not shown`,
            `Run it again once the ${parent.noun} is shown; if it was deleted, remove this from the program.`,
          );
    }
    const why = `${since}, so what it made may still show`;
    const lackingMs = clock.now() + leftMs - deadlineMs;
    if (lackingMs > 0) {
      throw refusal(
        why,
        `Give it ${formatDuration(lackingMs + doubtMs(session, "gone"))} more with \`timeouts.${id === undefined ? "create" : "update"}\`: it waits.`,
      );
    }
    context.progress(`${operation}: ${why}; watching the list for ${formatDuration(leftMs)}`);
    return leftMs;
  };
}
