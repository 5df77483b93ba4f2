// The listening addresses of one service that are not a server's own; opened and closed together with those servers.

import { openPgbouncer } from "./server/pgbouncer";
import { openProxy, type Listener, type ListenerOptions, type Target } from "./server/proxy";
import { PortInUse } from "./server/server";
import type { SharedResources } from "./sharedResources";

export interface Route {
  readonly targets: readonly Target[];
  readonly isPooler: boolean;
}

export class Listeners {
  readonly #shared: SharedResources;
  /** Called when a listener exited unexpectedly; the next `keep` with the same routes opens it again. */
  readonly #onUnexpectedExit: () => void;
  readonly #open = new Map<string, { listener: Listener; routeText: string }>();

  constructor(shared: SharedResources, onUnexpectedExit: () => void) {
    this.#shared = shared;
    this.#onUnexpectedExit = onUnexpectedExit;
  }

  /** Opens and closes listeners until exactly these are open, each at the port of its key. */
  async keep(wanted: ReadonlyMap<string, Route>): Promise<void> {
    for (const [key, { routeText }] of this.#open) {
      const route = wanted.get(key);
      if (!route || JSON.stringify(route) !== routeText) await this.#close(key);
    }
    for (const [key, route] of wanted) if (!this.#open.has(key)) await this.#openAt(key, route);
  }

  async #openAt(key: string, route: Route): Promise<void> {
    const { ports, certificates } = this.#shared;
    await onFreePort(ports, key, async (port) => {
      const exit = new AbortController();
      const exited = (): void => {
        exit.abort();
        this.#open.delete(key);
        this.#onUnexpectedExit();
      };
      const listener = await this.#listen({ ...route, port, certificates, exited });
      if (!exit.signal.aborted) this.#open.set(key, { listener, routeText: JSON.stringify(route) });
    });
  }

  /** pgbouncer forwards to one server. For several nodes, or without pgbouncer, a proxy that does not pool is used. */
  #listen(options: ListenerOptions): Promise<Listener> {
    const { pgbouncer: program } = this.#shared;
    if (program === undefined || !options.isPooler || options.targets.length !== 1) return openProxy(options);
    return openPgbouncer(program, this.#shared, options);
  }

  async #close(key: string): Promise<void> {
    const open = this.#open.get(key);
    this.#open.delete(key);
    await open?.listener.close();
  }
}

/** Opens it at the port of the key, or at another one if another process has taken that port. */
export async function onFreePort(
  ports: SharedResources["ports"],
  key: string,
  listen: (port: number) => Promise<void>,
): Promise<void> {
  let port = await ports.take(key);
  for (;;) {
    try {
      await listen(port);
      return;
    } catch (error) {
      if (!(error instanceof PortInUse)) throw error;
      port = await ports.replace(key);
    }
  }
}
