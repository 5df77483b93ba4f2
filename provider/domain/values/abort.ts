// Promises and signals that end before their time.

/**
 * The reason with which a time limit is aborted when the work ended in time. One object for all limits: nobody reads it,
 * and a new error for each limit costs more than the limit itself.
 */
export const NOT_REACHED = new Error("not reached");

/** Rejects with the signal's reason if it is aborted before the answer arrives. The answer itself is not affected. */
export function orAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(signal.reason as Error));
    // Exactly one turn later than the answer, because callers that read in the same turn share a request.
    answer.then(resolve, reject);
    answer.then(release, release);
  });
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/** All listeners of one signal. */
interface Waiting {
  acts: Set<() => void>;
  all: () => void;
}

/**
 * Acts when the signal is aborted, also if it already is, until released. All share one listener: a signal goes through all
 * of its own for each that comes or leaves.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  const { acts, all } = waiting.get(signal) ?? listenTo(signal);
  acts.add(act);
  return () => {
    if (!acts.delete(act) || acts.size > 0) return;
    signal.removeEventListener("abort", all);
    waiting.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const acts = new Set<() => void>();
  const all = (): void => acts.forEach((act) => act());
  signal.addEventListener("abort", all, { once: true });
  waiting.set(signal, { acts, all });
  return { acts, all };
}

/** A signal that is aborted when one of these is; undefined when there is none. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...new Set(signals)].filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
