// Port numbers for servers. The key of the address decides where the search begins, so that a seed gives the same
// numbers again as long as they are free.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { z } from "zod";
import { parsed, sealed, writeWhole } from "../durable";
import { codeOf } from "../errors";
import { hashOf } from "../controlPlane/world/random";

/** Below the range that systems use for outgoing connections. */
const [first, count] = [15_000, 17_000];

const portsFile = z.record(
  z.string(),
  z
    .int()
    .min(first)
    .lt(first + count),
);

export class Ports {
  readonly #byKey: Map<string, number>;
  readonly #file: string | undefined;
  /** One search at a time: two would find the same port. */
  #searches: Promise<unknown> = Promise.resolve();

  /** `file` stores the ports, so that addresses stay the same over a restart. */
  constructor(file?: string) {
    this.#file = file;
    const isStored = file !== undefined && existsSync(file);
    this.#byKey = new Map(isStored ? Object.entries(parsed(file, readFileSync(file, "utf8"), portsFile)) : []);
  }

  get(key: string): number | undefined {
    return this.#byKey.get(key);
  }

  /** The port of this key: the same one until it is replaced or released. */
  take(key: string): Promise<number> {
    return this.#inTurn(() => this.#byKey.get(key) ?? this.#search(key));
  }

  /** Another port for this key, because another process listens on the present one. */
  replace(key: string): Promise<number> {
    return this.#inTurn(() => this.#search(key));
  }

  /** Frees the ports of these keys. */
  release(isMeant: (key: string) => boolean): void {
    for (const key of this.#byKey.keys()) if (isMeant(key)) this.#byKey.delete(key);
    this.#write();
  }

  #inTurn(work: () => number | Promise<number>): Promise<number> {
    const found = this.#searches.then(work);
    this.#searches = found.catch(() => undefined);
    return found;
  }

  async #search(key: string): Promise<number> {
    const start = hashOf(key, count);
    const taken = new Set(this.#byKey.values());
    for (let step = 0; step < count; step += 1) {
      const port = first + ((start + step) % count);
      if (taken.has(port) || !(await isFree(port))) continue;
      this.#byKey.set(key, port);
      this.#write();
      return port;
    }
    throw new Error("no port is free");
  }

  #write(): void {
    if (this.#file === undefined) return;
    writeWhole(this.#file, sealed(JSON.stringify(Object.fromEntries(this.#byKey))));
  }
}

/** Rejects if it cannot be told, as without a free descriptor. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => (codeOf(error) === "EADDRINUSE" ? resolve(false) : reject(error)));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
