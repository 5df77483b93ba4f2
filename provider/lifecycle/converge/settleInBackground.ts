// A refused read (401, 403) ends an operation at once, but the change that it sent continues at the server. The server may
// still show the old values and accept a second change. Only this process knows of the first change, so it makes the next
// holder of the lock wait for its end.

import { ApiError } from "../../domain/errors";
import type { Target } from "../resources/observation";
import { CONFIRMATION } from "../session/confirmation";

/** Waits for the end of a change that was sent under the object's lock, which is held. A deadline ends every wait. */
export async function settleInBackground<T>(
  { resource, session, id, scope }: Target,
  progress: (line: string) => void,
  wait: (report: (line: string) => void) => Promise<T>,
): Promise<T> {
  try {
    return await wait(progress);
  } catch (error) {
    if (error instanceof ApiError) session.locks.settleBeforeNext(resource.lock(id, scope), settle);
    throw error;
  }

  async function settle(): Promise<void> {
    for (let refusals = 0; refusals < CONFIRMATION.refusedRead.agreeing; refusals += 1) {
      // The row of an operation that has ended shows no more progress.
      const error = await wait(() => undefined).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!(error instanceof ApiError)) return;
      await session.clock.sleep(session.pace.intervalMs);
    }
  }
}
