// Port numbers for servers: where the search begins follows from the object, so that a seed gives the same numbers again
// as long as they are free.

import { createServer } from "node:net";
import { hashOf } from "../world/random";

/** Below the range from which systems take ports for outgoing connections. */
const [first, count] = [15_000, 17_000];

export class Ports {
  readonly #byKey = new Map<string, number>();
  /** Those of others, and those that were given to a key. */
  readonly #taken = new Set<number>();

  get(key: string): number | undefined {
    return this.#byKey.get(key);
  }

  /** The port of this key: the same one until it is replaced or released. */
  async take(key: string): Promise<number> {
    return this.#byKey.get(key) ?? (await this.replace(key));
  }

  /** Another port for this key: somebody else listens on the one it has. */
  async replace(key: string): Promise<number> {
    const start = hashOf(key, count);
    for (let step = 0; step < count; step += 1) {
      const port = first + ((start + step) % count);
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      if (!(await isFree(port))) continue;
      this.#byKey.set(key, port);
      return port;
    }
    throw new Error("no port is free");
  }

  /** All ports whose keys begin so. */
  release(prefix: string): void {
    for (const [key, port] of this.#byKey) {
      if (!key.startsWith(prefix)) continue;
      this.#byKey.delete(key);
      this.#taken.delete(port);
    }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
