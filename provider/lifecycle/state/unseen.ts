// Until when a new object may be invisible: in a process a moment of its clock, and in the state, which processes on other
// machines read, a time of day of the server.

import { DOUBT_MS } from "../session/confirmation";
import type { Clock } from "../../domain/values/clock";
import type { Values } from "../../domain/values/value";
import type { Session } from "../session/session";
import { unseenUntilOf } from "./state";

type Times = { clock: Clock } & Pick<Session, "client">;

/**
 * By the clock of this process; undefined once the object was read. It is computed after a read that found nothing, because
 * only an answer has the server's time. A time of day may go back, so the result is at most the wait for a new object.
 */
export function unseenUntil({ clock, client }: Times, state: Values): (() => number) | undefined {
  const until = unseenUntilOf(state);
  if (until === undefined) return undefined;
  const latestMs = clock.now() + DOUBT_MS.unseenObject;
  return () => Math.min(latestMs, clock.now() + until - client.serverTime());
}

/** The same moment for the state. */
export function storedUnseenUntil({ clock, client }: Times, untilMs: number | undefined): number | undefined {
  return untilMs === undefined ? undefined : client.serverTime() + (untilMs - clock.now());
}
