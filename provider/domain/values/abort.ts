// Promises and signals that end before their time.

/** Rejects with the signal's reason when it is aborted before the answer is there. The answer itself is not disturbed. */
export function orAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    const release = (): void => signal.removeEventListener("abort", onAbort);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    // One turn later than the answer itself and no more: callers that read in one turn share a request.
    answer.then(resolve, reject);
    answer.then(release, release);
  });
}

/** A signal that is aborted when one of these is; undefined when there is none. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...new Set(signals)].filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
