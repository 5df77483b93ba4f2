// The servers behind one service, brought to the wanted state: what is missing is made, what differs is changed, in an
// order in which each step finds what it needs. Idempotent.

import { messageOf } from "../errors";
import type { ServerLogEntry, WantedReplicaSet, WantedService } from "./backend";
import { createListeners, onFreePort } from "./server/proxy";
import { folderName, type SharedResources } from "./sharedResources";
import { copyCluster, copyWal, database, masterUser } from "./server/cluster";
import { markAfter, replay } from "./server/fork";
import { Server } from "./server/server";
import { connectionsFor } from "./server/settings";
import { quoted, sql } from "./server/sql";
import { Standby, standbyFolder } from "./standby";

interface ServiceEvents {
  logged(entry: ServerLogEntry): void;
  /** A server exited unexpectedly. */
  exited(isPrimary: boolean): void;
}

interface ReconcileOptions {
  /** Called when the service no longer waits for its turn. */
  readonly begun: () => void;
  /** Runs the copy of the servers it is a fork of, while nothing else is done to them. */
  readonly copyOf: (copy: (source: ServiceServers) => Promise<void>) => Promise<void>;
}

export class ServiceServers {
  readonly primary: Server;
  readonly #shared: SharedResources;
  readonly #id: string;
  readonly #cluster: string | undefined;
  readonly #events: ServiceEvents;
  readonly #replicaSets = new Map<string, Standby>();
  readonly #listeners: ReturnType<typeof createListeners>;
  #password: string | undefined;
  #hasExtensions = false;
  #isDatabaseGone = false;
  /** Libraries that all its servers preload. */
  #preload: readonly string[] = [];

  constructor(shared: SharedResources, { id, cluster }: Pick<WantedService, "id" | "cluster">, events: ServiceEvents) {
    this.#shared = shared;
    this.#id = id;
    this.#cluster = cluster;
    this.#events = events;
    this.#listeners = createListeners(shared);
    this.primary = new Server(shared, folderName(id, cluster), {
      log: (entry) => events.logged(entry),
      exit: () => events.exited(true),
    });
  }

  async reconcile(wanted: WantedService, options: ReconcileOptions): Promise<void> {
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
    await this.#runPrimary(wanted);
    const isThere = await this.#prepareDatabase(wanted);
    if (!this.#hasExtensions && isThere) await this.#reconcileExtensions(wanted);
    await this.#setPassword(wanted.password);
    for (const set of wanted.replicaSets) await this.#reconcileReplicaSet(set, wanted);
    await this.#listeners.keep(this.#poolersOf(wanted));
    await this.#dropReplicaSets(wanted.replicaSets);
  }

  /** The primary stops first: standbys still receive what it writes at its end. */
  async stop(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
    await this.#listeners.keep(new Map());
    await this.primary.stop(signal);
    await Promise.all([...this.#replicaSets.values()].map(({ server }) => server.stop(signal)));
  }

  async #make({ source }: WantedService, { begun, copyOf }: ReconcileOptions): Promise<void> {
    const { copies, binaries, prepared } = this.#shared;
    const base = await prepared;
    const copy = (): Promise<void> => {
      begun();
      return copyCluster(binaries, base, this.primary.data);
    };
    await this.primary.make(async () => {
      if (!source) return copies.run(copy);
      await copyOf((parent) =>
        copies.run(async () => {
          if (parent.primary.isRunning) await markAfter(parent.primary, source.at);
          await copy();
          await copyWal(binaries, parent.primary.data, this.primary.data);
        }),
      );
      await replay(this.primary, source.at);
    });
  }

  async #runPrimary({ memoryGbs, moves }: WantedService): Promise<void> {
    await onFreePort(this.#shared.ports, portKey(this.#id, "direct", moves), (port) =>
      this.primary.run({ port, memoryGbs, preload: this.#preload }),
    );
  }

  /** Whether the tenant has not dropped or renamed its database. */
  async #prepareDatabase({ memoryGbs }: WantedService): Promise<boolean> {
    const found = await this.primary.sql(`SELECT 1 FROM pg_database WHERE datname = ${quoted(database)}`);
    const isThere = found.length > 0;
    if (isThere) await this.primary.sql(`ALTER DATABASE ${database} CONNECTION LIMIT ${connectionsFor(memoryGbs)}`);
    else if (!this.#isDatabaseGone)
      this.#warn(`the database "${database}" is gone: somebody has dropped or renamed it`);
    this.#isDatabaseGone = !isThere;
    return isThere;
  }

  /** The extensions that this machine has. The log warns of the others, and their CREATE EXTENSION fails as it must. */
  async #reconcileExtensions(wanted: WantedService): Promise<void> {
    if (wanted.extensions.length > 0) {
      const names = wanted.extensions.map(quoted).join(", ");
      const rows = await this.primary.sql(`SELECT name FROM pg_available_extensions WHERE name IN (${names})`);
      const offered = wanted.extensions.filter((name) => rows.some(([found]) => found === name));
      for (const name of wanted.extensions) if (!offered.includes(name)) this.#warn(notInstalled(name));
      this.#preload = offered.filter((name) => needPreload.includes(name));
      if (this.#preload.length > 0) await this.#runPrimary(wanted);
      for (const name of offered) {
        const create = `CREATE EXTENSION IF NOT EXISTS ${name} SCHEMA public CASCADE`;
        await sql({ socket: this.primary.socket, database }, create).catch((error: unknown) =>
          this.#warn(`the extension "${name}" is not in the database: ${messageOf(error)}`),
        );
      }
    }
    this.#hasExtensions = true;
  }

  #warn(message: string): void {
    this.#events.logged({ at: Date.now(), severity: "WARNING", message: `emulator: ${message}` });
  }

  /** Standbys replicate it, and the change counts as done only when they have it. */
  async #setPassword(password: string): Promise<void> {
    if (password === this.#password) return;
    await this.primary.sql(`ALTER ROLE ${masterUser} PASSWORD ${quoted(password)}`);
    const followers = [...this.#replicaSets.values()].filter(({ server }) => server.isRunning);
    await Promise.all(followers.map((set) => set.awaitReplay()));
    this.#password = password;
  }

  async #reconcileReplicaSet({ id, memoryGbs }: WantedReplicaSet, { moves }: WantedService): Promise<void> {
    const exited = (): void => this.#events.exited(false);
    const folder = standbyFolder(id, this.#cluster);
    const standby = this.#replicaSets.get(id) ?? new Standby(this.#shared, this.primary, folder, exited);
    this.#replicaSets.set(id, standby);
    await onFreePort(this.#shared.ports, portKey(id, "direct", moves), (port) =>
      standby.run({ port, memoryGbs, preload: this.#preload }),
    );
    await standby.awaitReplay();
  }

  async #dropReplicaSets(wanted: readonly WantedReplicaSet[]): Promise<void> {
    for (const [id, { server }] of this.#replicaSets) {
      if (wanted.some((set) => set.id === id)) continue;
      await server.remove();
      this.#replicaSets.delete(id);
      this.#shared.ports.release((key) => key.startsWith(`${id}/`));
    }
  }

  /** The port of the server behind each pooler. */
  #poolersOf({ moves, poolerEnabled, replicaSets }: WantedService): Map<string, number> {
    const sets = replicaSets.map((set) => ({ ...set, server: this.#replicaSets.get(set.id)?.server }));
    const pooled = [{ id: this.#id, poolerEnabled, server: this.primary }, ...sets].filter((one) => one.poolerEnabled);
    return new Map(pooled.map(({ id, server }) => [portKey(id, "pooler", moves), server?.port ?? 0]));
  }

  async #remove(): Promise<void> {
    await this.#listeners.keep(new Map());
    await Promise.all([...this.#replicaSets.values()].map(({ server }) => server.remove()));
    await this.primary.remove();
    const own = [this.#id, ...this.#replicaSets.keys()];
    this.#shared.ports.release((key) => own.some((id) => key.startsWith(`${id}/`)));
  }
}

/** The folders of all servers of a service, relative to the folder of all servers. */
export function foldersOf({ id, cluster, replicaSets }: WantedService): string[] {
  return [folderName(id, cluster), ...replicaSets.map((set) => standbyFolder(set.id, cluster))];
}

const needPreload = ["timescaledb"];

const notInstalled = (name: string): string => `the extension "${name}" is not installed on this machine`;

export const portKey = (id: string, role: "direct" | "pooler", moves: number): string => `${id}/${role}/${moves}`;
