// Listeners of this process in place of vitest's own, which would fail the file that causes the event.

import { onTestFinished } from "vitest";

/** The only listener until the test ends. */
export function listenAlone(event: "unhandledRejection", listener: (reason: unknown) => void): void {
  const own = process.rawListeners(event) as ((reason: unknown) => void)[];
  process.removeAllListeners(event).on(event, listener);
  onTestFinished(() => {
    process.removeAllListeners(event);
    for (const one of own) process.on(event, one);
  });
}
