// A look that is refused (401, 403) ends an operation at once, but not the change that it has sent. A server that lets two
// changes meet may still show the old values, so that only the sender knows of the first one: the wait for its end is left
// to whoever has the lock next.

import { ApiError } from "../../domain/errors";
import type { Run } from "./run";

/** After so many refused looks the next change may try: it will be refused as well. */
const MOST_REFUSALS = 8;

/** Waits for the end of what was sent under the lock of the object, which is held. A deadline ends that for everybody. */
export async function settleInBackground<T>(
  run: Pick<Run, "resource" | "session" | "id" | "scope" | "context">,
  wait: (report: (line: string) => void) => Promise<T>,
): Promise<T> {
  const { resource, session, id, scope, context } = run;
  try {
    return await wait(context.progress);
  } catch (error) {
    if (error instanceof ApiError) session.locks.settleLater(resource.lock(id, scope), rest);
    throw error;
  }

  async function rest(): Promise<void> {
    for (let refusals = 0; refusals < MOST_REFUSALS; refusals += 1) {
      // The row of an operation that has ended is told nothing more.
      const error = await wait(() => undefined).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!(error instanceof ApiError)) return;
      await session.clock.sleep(session.pace.intervalMs);
    }
  }
}
