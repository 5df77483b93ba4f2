// Unhandled rejections of a program. Pulumi: it rejects promises that no code can handle, and its language server
// listens for these rejections, so that the run fails with the error. The test runner listens too, and would fail the
// test file as well.

const events = ["unhandledRejection", "uncaughtException"] as const;

type Listener = (...args: unknown[]) => void;

/** The `process` object in this file: Node's, or the one that a test runner puts in its place. */
const target: NodeJS.EventEmitter = process;

let running = 0;
let restore: () => void = () => undefined;

/**
 * Runs the work while only Pulumi's listener gets such errors: the earlier listeners get them again when no run is
 * active, and during a run whenever Pulumi does not listen.
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
