// Until when a new object may be invisible. In a process that is a moment of its clock. In the state, which other processes
// on other machines read, it is a time of day of the server.

import { DOUBT_MS } from "../session/confirmation";
import type { Client } from "../../api/client";
import type { Clock } from "../../domain/values/clock";
import type { Values } from "../../domain/values/value";
import { unseenUntilOf } from "./state";

interface Times {
  clock: Clock;
  client: Pick<Client, "serverTime">;
}

/**
 * By the clock of this process, and undefined once the object was read. It is asked for when a read has found nothing,
 * because only an answer tells the server's time. A time of day may go back: nobody waits for longer than for a new object.
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
