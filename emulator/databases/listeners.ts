// The listening addresses of one service that are not a server's own; opened and closed together with those servers.

import { openProxy, type Listener, type Route } from "./server/proxy";
import { PortInUse } from "./server/server";
import type { SharedResources } from "./sharedResources";

export function createListeners({ ports, certificate }: SharedResources) {
  const open = new Map<string, { listener: Listener; routeText: string }>();
  return {
    /** Opens and closes listeners until exactly these are open, each at the port of its key. */
    async keep(wanted: ReadonlyMap<string, Route>): Promise<void> {
      for (const [key, { listener, routeText }] of open) {
        const route = wanted.get(key);
        if (route && JSON.stringify(route) === routeText) continue;
        open.delete(key);
        await listener.close();
      }
      for (const [key, route] of wanted) {
        if (open.has(key)) continue;
        await onFreePort(ports, key, async (port) => {
          open.set(key, {
            listener: await openProxy({ ...route, port, certificate }),
            routeText: JSON.stringify(route),
          });
        });
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
