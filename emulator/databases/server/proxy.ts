// A TCP proxy in place of a pooler: it forwards everything to the port of the server, where the same rules hold for clients.
// It does not pool.

import { PortInUse } from "./server";
import type { SharedResources } from "../sharedResources";
import { connect, createServer, type Socket } from "node:net";

export function createListeners({ ports }: SharedResources) {
  const open = new Map<string, { close: () => Promise<void>; target: number }>();
  return {
    /** Opens and closes listeners until exactly these are open, each at the port of its key, for the server at this port. */
    async keep(wanted: ReadonlyMap<string, number>): Promise<void> {
      for (const [key, { close, target }] of open) {
        if (wanted.get(key) === target) continue;
        open.delete(key);
        await close();
      }
      for (const [key, target] of wanted) {
        if (open.has(key)) continue;
        const begin = async (port: number): Promise<void> => {
          open.set(key, { close: await openProxy(target, port), target });
        };
        await onFreePort(ports, key, begin);
      }
    },
  };
}

/** Opens it at the port of the key, or at another one if another process has taken that port. */
export async function onFreePort(
  ports: SharedResources["ports"],
  key: string,
  begin: (port: number) => Promise<void>,
): Promise<void> {
  let port = await ports.take(key);
  for (;;) {
    try {
      await begin(port);
      return;
    } catch (error) {
      if (!(error instanceof PortInUse)) throw error;
      port = await ports.replace(key);
    }
  }
}

const host = "127.0.0.1";
const mostConnections = 400;

/** Returns what closes it. */
async function openProxy(target: number, port: number): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect(target, host);
    sockets.add(client);
    // Until one of both ends.
    client.on("error", () => client.destroy());
    client.once("close", () => {
      sockets.delete(client);
      server.destroy();
    });
    server.on("error", () => client.destroy());
    server.once("close", () => client.destroySoon());
    client.pipe(server).pipe(client);
  });
  proxy.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    proxy.once("error", (error) => reject(new PortInUse(error.message)));
    proxy.listen(port, host, resolve);
  });
  return () =>
    new Promise((resolve) => {
      proxy.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
}
