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
  readonly #byKey = new Map<string, number>();
  /** Ports of other processes, and ports assigned to a key. */
  readonly #taken = new Set<number>();
  /** Several may ask for the port of one key at a time. */
  readonly #taking = new Map<string, Promise<number>>();
  readonly #file: string | undefined;
  /** Stored ports that were not taken again since the restart. */
  readonly #kept: Map<string, number>;

  /** `file` stores the ports, so that addresses stay the same over a restart. */
  constructor(file?: string) {
    this.#file = file;
    const isStored = file !== undefined && existsSync(file);
    this.#kept = new Map(isStored ? Object.entries(parsed(file, readFileSync(file, "utf8"), portsFile)) : []);
  }

  /** Frees the stored ports of services that no longer exist. */
  keepOnly(isKnown: (key: string) => boolean): void {
    for (const key of this.#kept.keys()) if (!isKnown(key)) this.#kept.delete(key);
    for (const port of this.#kept.values()) this.#taken.add(port);
  }

  get(key: string): number | undefined {
    return this.#byKey.get(key) ?? this.#kept.get(key);
  }

  /** The port of this key: the same one until it is replaced or released. */
  async take(key: string): Promise<number> {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const taking = this.#taking.get(key) ?? this.replace(key).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return taking;
  }

  /** Another port for this key, because another process listens on the present one. */
  async replace(key: string): Promise<number> {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept !== undefined && (await isFree(kept))) return this.#give(key, kept);
    const start = hashOf(key, count);
    for (let step = 0; step < count; step += 1) {
      const port = first + ((start + step) % count);
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      try {
        if (await isFree(port)) return this.#give(key, port);
      } catch (error) {
        this.#taken.delete(port);
        throw error;
      }
    }
    throw new Error("no port is free");
  }

  #give(key: string, port: number): number {
    this.#byKey.set(key, port);
    this.#write();
    return port;
  }

  #write(): void {
    if (this.#file === undefined) return;
    writeWhole(this.#file, sealed(JSON.stringify(Object.fromEntries([...this.#kept, ...this.#byKey]))));
  }

  release(prefix: string): void {
    for (const [key, port] of [...this.#kept, ...this.#byKey]) {
      if (!key.startsWith(prefix)) continue;
      this.#kept.delete(key);
      this.#byKey.delete(key);
      this.#taken.delete(port);
    }
    this.#write();
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
