// The addresses of one service that are not a server's own: fronts, opened and closed with what stands behind them.

import path from "node:path";
import type { House } from "./house";
import { openFront, type Front, type FrontOptions } from "./server/front";
import { openPgbouncer } from "./server/pgbouncer";
import { PortInUse } from "./server/server";

export interface Behind {
  readonly targets: readonly string[];
  readonly isPooler: boolean;
}

export class Doors {
  readonly #house: House;
  readonly #open = new Map<string, { front: Front; behind: string }>();

  constructor(house: House) {
    this.#house = house;
  }

  /** Exactly these are open afterwards, each at the port of its key. */
  async keep(wanted: ReadonlyMap<string, Behind>): Promise<void> {
    for (const [key, { behind }] of this.#open) {
      const still = wanted.get(key);
      if (!still || JSON.stringify(still) !== behind) await this.#close(key);
    }
    for (const [key, behind] of wanted) if (!this.#open.has(key)) await this.#openAt(key, behind);
  }

  async #openAt(key: string, behind: Behind): Promise<void> {
    const { ports, certificates } = this.#house;
    await onFreePort(ports, key, async (port) => {
      const front = await this.#front({ ...behind, port, certificates });
      this.#open.set(key, { front, behind: JSON.stringify(behind) });
    });
  }

  /** pgbouncer knows one server; in front of several nodes, and where there is none, what passes through has to do. */
  #front(options: FrontOptions): Promise<Front> {
    const { pgbouncer: program, binaries, root } = this.#house;
    if (program === undefined || !options.isPooler || options.targets.length !== 1) return openFront(options);
    const folder = path.join(root, "servers", `pooler-${options.port}`);
    return openPgbouncer({ program, binaries, folder }, options);
  }

  async #close(key: string): Promise<void> {
    const door = this.#open.get(key);
    this.#open.delete(key);
    await door?.front.close();
  }
}

/** On the port of the key, or on another one where somebody else has taken it meanwhile. */
export async function onFreePort(
  ports: House["ports"],
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
