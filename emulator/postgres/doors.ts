// The addresses of one service that are not a server's own: fronts, opened and closed with what stands behind them.

import type { House } from "./house";
import { openFront, type Front } from "./server/front";
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
      const front = await openFront({ ...behind, port, certificates });
      this.#open.set(key, { front, behind: JSON.stringify(behind) });
    });
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
