// Pulumi: each property of a resource becomes four promises, and each call to the engine some more. Each of them keeps the
// stack trace of its making as a text, for reports of promises that were never settled. `pulumi` maps each frame of such a
// text to its source: this is most of what `new Service` costs. The trace by which Pulumi finds the line that calls the
// constructor is stored in the state, with all frames of the module loader.

/** Pulumi: its own functions that take a trace, by name. */
const OF_PROMISES = "debuggablePromise";
const OF_POSITION = "callsites";
/** Pulumi: frames of `OF_POSITION` above the line that calls the constructor; it skips them by their number. */
const ABOVE = 5;

type Prepare = (error: Error, frames: NodeJS.CallSite[]) => unknown;

/** What Node's declarations do not say: there may be no hook, and it needs no `this`. */
const traces: { prepareStackTrace: Prepare | undefined; stackTraceLimit: number } = Error;

/** Marks hooks of ours, for all copies of this package in a process: else each would put a hook around the other's. */
const OURS = Symbol.for("pulumi-dbcloud.traces");

/** Whether a constructor is under way. */
interface State {
  isConstructing: boolean;
}

type Hook = Prepare & { [OURS]?: State };

/**
 * Shortens the stack traces that Pulumi takes while a constructor runs; the returned function ends that. Under `pulumi`,
 * traces of promises stay off afterwards, because each of their frames is mapped to its source. With
 * `PULUMI_DEBUG_PROMISE_LEAKS` nothing is shortened. `isTransformed`: functions of the program run in the constructor, so
 * errors keep their frames. Each constructor calls it directly: Pulumi finds the caller by counting frames.
 */
export function shortenTraces(isTransformed: boolean): () => void {
  if (process.env["PULUMI_DEBUG_PROMISE_LEAKS"] !== undefined) return () => undefined;
  const { stackTraceLimit } = traces;
  const before: Hook | undefined = traces.prepareStackTrace;
  const hook = before?.[OURS] === undefined ? hookOn(before) : before;
  const state = hook[OURS];
  // A transformation may make another resource in the constructor of one.
  const wasConstructing = state?.isConstructing === true;
  if (state !== undefined) state.isConstructing = true;
  // What the program's own transformations throw has all of its frames.
  if (!isTransformed) traces.stackTraceLimit = 0;
  traces.prepareStackTrace = hook;
  return () => {
    traces.stackTraceLimit = stackTraceLimit;
    if (state !== undefined) state.isConstructing = wasConstructing;
    // Node itself maps frames to their source only where it finds no hook.
    if (process.sourceMapsEnabled && before !== undefined) traces.prepareStackTrace = before;
  };
}

/** What a constructor throws, with the frames that `shortenTraces` has kept from it. */
export function withFrames(error: unknown, restoreTraces: () => void): unknown {
  restoreTraces();
  if (error instanceof Error && !/\n +at /.test(error.stack ?? "")) Error.captureStackTrace(error, withFrames);
  return error;
}

function hookOn(before: Prepare | undefined): Hook {
  const prepare = before ?? plainTrace;
  const state: State = { isConstructing: false };
  const hook: Prepare = (error, frames) => {
    if (state.isConstructing && frames.length === 0) return String(error);
    const owner = frames[0]?.getFunctionName();
    if (owner === OF_PROMISES) return "";
    return owner === OF_POSITION && state.isConstructing ? position(prepare, error, frames) : prepare(error, frames);
  };
  return Object.assign(hook, { [OURS]: state });
}

/** The line that calls the constructor, at the place where Pulumi looks for it. */
function position(prepare: Prepare, error: Error, frames: NodeJS.CallSite[]): string {
  const [head = "", ...caller] = String(prepare(error, frames.slice(ABOVE, ABOVE + 1))).split("\n");
  return [head, ...frames.slice(0, ABOVE).map(() => "    at pulumi"), ...caller].join("\n");
}

function plainTrace(error: Error, frames: NodeJS.CallSite[]): string {
  return [String(error), ...frames.map(lineOf)].join("\n");
}

function lineOf(frame: NodeJS.CallSite): string {
  const where = `${frame.getFileName() ?? ""}:${frame.getLineNumber() ?? 0}:${frame.getColumnNumber() ?? 0}`;
  return `    at ${frame.getFunctionName() ?? "<anonymous>"} (${where})`;
}
