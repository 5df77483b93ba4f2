// The listening addresses of one service that are not a server's own; opened and closed together with those servers.

import { openPgbouncer } from "./server/pgbouncer";
import { openProxy, type Listener, type ListenerOptions, type Target } from "./server/proxy";
import { PortInUse } from "./server/server";
import type { SharedResources } from "./sharedResources";

export interface Route {
  readonly targets: readonly Target[];
  readonly isPooler: boolean;
}

/** `onUnexpectedExit` is called when a listener exited; the next `keep` with the same routes opens it again. */
export function createListeners(shared: SharedResources, onUnexpectedExit: () => void) {
  const open = new Map<string, { listener: Listener; routeText: string }>();
  const openAt = (key: string, route: Route): Promise<void> =>
    onFreePort(shared.ports, key, async (port) => {
      const exit = new AbortController();
      const exited = (): void => {
        exit.abort();
        open.delete(key);
        onUnexpectedExit();
      };
      const listener = await listen(shared, { ...route, port, certificate: shared.certificate, exited });
      if (!exit.signal.aborted) open.set(key, { listener, routeText: JSON.stringify(route) });
    });
  return {
    /** Opens and closes listeners until exactly these are open, each at the port of its key. */
    async keep(wanted: ReadonlyMap<string, Route>): Promise<void> {
      for (const [key, { listener, routeText }] of open) {
        const route = wanted.get(key);
        if (route && JSON.stringify(route) === routeText) continue;
        open.delete(key);
        await listener.close();
      }
      for (const [key, route] of wanted) if (!open.has(key)) await openAt(key, route);
    },
  };
}

/** pgbouncer forwards to one server. For several nodes, or without pgbouncer, a proxy that does not pool is used. */
function listen(shared: SharedResources, options: ListenerOptions): Promise<Listener> {
  const { pgbouncer: program } = shared;
  if (program === undefined || !options.isPooler || options.targets.length !== 1) return openProxy(options);
  return openPgbouncer(program, shared, options);
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
