// A TCP proxy in front of servers: it picks the servers in turn, and forwards everything to the ports that clients could use
// themselves, where the same rules hold for them. It stands in place of a pooler too; it does not pool.

import { PortInUse } from "./server";
import type { SharedResources } from "../sharedResources";
import { connect, createServer, type Socket } from "node:net";

export function createListeners({ ports }: SharedResources) {
  const open = new Map<string, { close: () => Promise<void>; servers: string }>();
  return {
    /** Opens and closes listeners until exactly these are open, each at the port of its key, for the servers at these ports. */
    async keep(wanted: ReadonlyMap<string, readonly number[]>): Promise<void> {
      for (const [key, { close, servers }] of open) {
        if (wanted.get(key)?.join() === servers) continue;
        open.delete(key);
        await close();
      }
      for (const [key, targets] of wanted) {
        if (open.has(key)) continue;
        const begin = async (port: number): Promise<void> => {
          open.set(key, { close: await openProxy(targets, port), servers: targets.join() });
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
async function openProxy(targets: readonly number[], port: number): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  let count = 0;
  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect(targets[count++ % targets.length] ?? 0, host);
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
