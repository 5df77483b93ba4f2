// The servers behind one service, brought to what is wanted: whatever is missing is made, whatever differs is changed, in
// an order in which each step finds what it needs. Doing it again changes nothing.

import type { WantedService } from "./backend";
import { folderName, type House } from "./house";
import { copyCluster, masterUser } from "./server/cluster";
import { copyHistory, replay } from "./server/restore";
import { scramVerifier } from "./server/scram";
import { PortInUse, Server } from "./server/server";
import type { ServerSettings } from "./server/settings";
import { quoted } from "./server/sql";
import type { ServerLogEntry } from "./backend";

export interface ServiceEvents {
  logged(entry: ServerLogEntry): void;
  /** A server ended unasked. */
  died(isPrimary: boolean): void;
  moved(): void;
}

export interface BringOptions {
  /** The address refuses connections: the server listens on its socket only. */
  readonly isRefusing: boolean;
  /** Called when the service no longer waits for its turn. */
  readonly begun: () => void;
  /** Runs the copy of the servers it is a fork of, while nothing else is done to them. */
  readonly copyOf: (copy: (source: ServiceServers) => Promise<void>) => Promise<void>;
}

export class ServiceServers {
  readonly primary: Server;
  readonly #house: House;
  readonly #id: string;
  readonly #events: ServiceEvents;
  #password: string | undefined;

  constructor(house: House, id: string, events: ServiceEvents) {
    this.#house = house;
    this.#id = id;
    this.#events = events;
    this.primary = this.#server(folderName(id), 0);
  }

  async bring(wanted: WantedService, options: BringOptions): Promise<void> {
    if (wanted.power === "gone") {
      options.begun();
      await this.#remove();
      return;
    }
    if (!this.primary.isMade) await this.#make(wanted, options);
    options.begun();
    if (wanted.power === "stopped") {
      await this.stop("SIGINT");
      return;
    }
    await this.#runPrimary(wanted, options);
    await this.#setPassword(wanted.password);
  }

  async stop(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
    await this.primary.stop(signal);
  }

  async #make({ source }: WantedService, { begun, copyOf }: BringOptions): Promise<void> {
    const { copies, binaries, base, prepared } = this.#house;
    await prepared;
    await this.primary.make(async () => {
      if (!source) {
        await copies.run(async () => {
          begun();
          await copyCluster(binaries, base, this.primary.data);
        });
        return;
      }
      await copyOf((parent) =>
        copies.run(async () => {
          begun();
          await copyHistory(this.#house, parent.primary, this.primary, source.at);
        }),
      );
      await replay(this.primary, source.at);
    });
  }

  /** On another port where somebody else has taken the one it had. */
  async #runPrimary(wanted: WantedService, { isRefusing }: BringOptions): Promise<void> {
    const { ports } = this.#house;
    const key = portKey(this.#id, "direct", wanted.moves);
    let port = await ports.take(key);
    for (;;) {
      const settings: ServerSettings = { port: isRefusing ? undefined : port, memoryGbs: wanted.memoryGbs };
      try {
        await this.primary.run(settings);
        this.#events.moved();
        return;
      } catch (error) {
        if (!(error instanceof PortInUse)) throw error;
        port = await ports.replace(key);
      }
    }
  }

  async #setPassword(password: string): Promise<void> {
    if (password === this.#password) return;
    await this.primary.sql(`ALTER ROLE ${masterUser} PASSWORD ${quoted(await scramVerifier(password))}`);
    this.#password = password;
  }

  async #remove(): Promise<void> {
    await this.primary.remove();
    this.#house.ports.release(`${this.#id}/`);
  }

  #server(name: string, node: number): Server {
    return new Server(this.#house, name, {
      log: (entry) => this.#events.logged({ ...entry, node }),
      death: () => this.#events.died(node === 0),
    });
  }
}

export const portKey = (id: string, role: "direct" | "pooler", moves: number): string => `${id}/${role}/${moves}`;
