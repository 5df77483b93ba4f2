// Pulumi: each property of a resource becomes four promises, and each of them keeps the stack trace of its making, for
// reports of promises that were never settled. A service has more than thirty properties: taken in full, these traces are
// half of what `new Service` costs. They all lead to one line, the one that calls the constructor.

/**
 * Keeps stack traces to one frame until the answer is called, unless promises are what is being looked into. Written out
 * in each constructor: a class or a function between would stand in the way of the position that Pulumi takes.
 */
export function shortenTraces(): () => void {
  if (process.env["PULUMI_DEBUG_PROMISE_LEAKS"] !== undefined) return () => undefined;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Math.min(1, limit);
  return () => {
    Error.stackTraceLimit = limit;
  };
}
