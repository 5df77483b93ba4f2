// Connections that have not shown a key or a password yet. Whoever reaches the port can open them, so their number is
// limited: one more ends the oldest.

import type { Socket } from "node:net";

/** A client with a key opens many at once too, and shows its key at once. */
const most = 200;
const graceMs = 1_000;

export function createStrangers() {
  const since = new Map<Socket, number>();
  let isWaiting = false;
  // Also by a timer: without a free descriptor there is no further connection that would end the oldest.
  const endOldest = (): void => {
    for (const [oldest, at] of since) {
      if (since.size <= most) return;
      if (performance.now() - at <= graceMs) {
        if (!isWaiting) setTimeout(again, graceMs).unref();
        isWaiting = true;
        return;
      }
      since.delete(oldest);
      oldest.destroy();
    }
  };
  const again = (): void => {
    isWaiting = false;
    endOldest();
  };
  return {
    add(socket: Socket): void {
      since.set(socket, performance.now());
      socket.once("close", () => since.delete(socket));
      endOldest();
    },
    /** It has shown its key: it stays. */
    accept: (socket: Socket): void => void since.delete(socket),
  };
}
