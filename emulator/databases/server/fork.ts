// A server as another one was at a moment of the past: the prepared cluster, and all WAL since then, replayed up to that
// moment.

import { setTimeout as wait } from "node:timers/promises";
import { masterUser } from "./cluster";
import type { Server } from "./server";

/** A recovery stops before the first commit after its target time; so there must be one. */
export async function markAfter(source: Server, at: number): Promise<void> {
  const leftMs = at + 1 - Date.now();
  if (leftMs > 0) await wait(leftMs);
  await source.sql("SELECT pg_logical_emit_message(true, 'emulator', 'copied')");
}

/** Replays the copied WAL. Afterwards the server is stopped, and its passwords are unknown. */
export async function replay(target: Server, at: number): Promise<void> {
  const recovered = { port: undefined, memoryGbs: undefined };
  try {
    await target.run({ ...recovered, recoverUntil: momentText(at) });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("recovery ended before")) throw error;
    // Nothing was committed after the target time, as in a source that was stopped before.
    await target.run({ ...recovered, recoverUntil: "end" });
  }
  await target.sql(`ALTER ROLE ${masterUser} PASSWORD NULL`);
  await target.stop();
}

const momentText = (at: number): string => new Date(at).toISOString().replace("T", " ").replace("Z", "+00");
