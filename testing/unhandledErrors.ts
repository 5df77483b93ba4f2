// Errors of a program that nobody handles. Pulumi: it rejects promises that nobody can handle, and its language server
// listens for that, so that the run fails with the error. The test runner listens too, and would fail the test file as well.

const events = ["unhandledRejection", "uncaughtException"] as const;

type Listener = (...args: unknown[]) => void;

/** `process` of this file: Node's, or what a runner puts in its place. */
const target: NodeJS.EventEmitter = process;

let running = 0;
let restore: () => void = () => undefined;

/**
 * Does the work while only the run hears of such errors: those that listened before hear of them again when no run is
 * under way, and meanwhile whenever Pulumi does not listen.
 */
export async function withoutOtherListeners<T>(work: () => Promise<T>): Promise<T> {
  if (running === 0) restore = standIn();
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) restore();
  }
}

function standIn(): () => void {
  const restores = events.map((event) => {
    const others = target.rawListeners(event) as Listener[];
    if (others.length === 0) return () => undefined;
    const forward: Listener = (...args) => {
      if (target.listenerCount(event) > 1) return;
      for (const other of others) Reflect.apply(other, target, args);
    };
    target.on(event, forward);
    for (const other of others) target.off(event, other);
    return () => {
      for (const other of others) target.on(event, other);
      target.off(event, forward);
    };
  });
  return () => restores.forEach((one) => one());
}
