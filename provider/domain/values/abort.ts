// Promises and signals that end before their time.

/** Rejects with the signal's reason when it is aborted before the answer is there. The answer itself is not disturbed. */
export async function orAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer;
  let release = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    release = () => signal.removeEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    release();
  }
}

/** A signal that is aborted when one of these is; undefined when there is none. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...new Set(signals)].filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
