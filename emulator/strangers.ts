// Connections that have not shown a key or a password yet. Whoever reaches the port can open them, so their number is
// limited: one more ends the oldest.

import type { Socket } from "node:net";

/** A client with a key opens many at once too, and shows its key at once. */
const most = 200;
const graceMs = 1_000;

export interface Strangers {
  add(socket: Socket): void;
  /** It has shown its key: it stays. */
  accept(socket: Socket): void;
}

export function createStrangers(): Strangers {
  const since = new Map<Socket, number>();
  return {
    add(socket) {
      since.set(socket, performance.now());
      socket.once("close", () => since.delete(socket));
      if (since.size <= most) return;
      for (const [oldest, at] of since) {
        if (performance.now() - at > graceMs) oldest.destroy();
        return;
      }
    },
    accept: (socket) => void since.delete(socket),
  };
}
