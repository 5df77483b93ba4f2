// "Gone" is never guessed: a 404 counts only when the recorded project's own list answers and lacks the id. A wrong
// address, a wrong project or a proxy that answers 404 to everything cannot pass that.

import type { Place, Resource } from "./resource";
import type { Session } from "./session";

export async function isReallyGone<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  session: Session,
  id: string,
  place: Place,
  deadlineMs: number,
): Promise<boolean> {
  const there = await resource.present(session, place, deadlineMs);
  return !there.some((item) => resource.idOf(item) === id && resource.condition(item) !== "gone");
}
