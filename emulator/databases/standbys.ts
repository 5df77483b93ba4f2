// Standbys of a primary: copies of the same prepared cluster that stream all WAL written since. Hidden ones for high
// availability, or as the nodes of a read replica set.

import { setTimeout as wait } from "node:timers/promises";
import type { SharedResources } from "./sharedResources";
import { copyCluster } from "./server/cluster";
import type { Server } from "./server/server";
import type { ServerSettings } from "./server/settings";
import { quoted } from "./server/sql";

export interface StandbysOptions {
  readonly shared: SharedResources;
  readonly primary: Server;
  /** Prefix of the names by which the primary knows them: letters, digits and underscores. */
  readonly name: string;
  readonly make: (index: number) => Server;
}

/** How long a standby may take to replay what was written before it was requested. */
const replayTimeoutMs = 60_000;
const replayPollMs = 10;

export class Standbys {
  readonly #options: StandbysOptions;
  #servers: Server[] = [];

  constructor(options: StandbysOptions) {
    this.#options = options;
  }

  get servers(): readonly Server[] {
    return this.#servers;
  }

  get names(): string[] {
    return this.#servers.map((_, index) => this.#nameOf(index));
  }

  get areRunning(): boolean {
    return this.#servers.every(({ isRunning }) => isRunning);
  }

  /**
   * Starts standbys until there are as many as wanted, and all have what the primary has at this moment. Surplus ones
   * stay until `trim`.
   */
  async grow(count: number, run: Run): Promise<void> {
    while (this.#servers.length < count) this.#servers.push(this.#options.make(this.#servers.length + 1));
    const { shared, primary } = this.#options;
    const wanted = this.#servers.slice(0, count);
    await Promise.all(
      wanted.map(async (server, index) => {
        if (!server.isMade) await shared.copies.run(() => this.#make(server));
        const { sockets, socketPort: port } = primary;
        await run(server, { sockets, port, name: this.#nameOf(index) }, index);
      }),
    );
    if (count > 0) await this.awaitReplay(count);
  }

  async trim(count: number): Promise<void> {
    const surplus = this.#servers.slice(count);
    this.#servers = this.#servers.slice(0, count);
    await Promise.all(surplus.map((server) => server.remove()));
  }

  async stop(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop(signal)));
  }

  /** Resolves when all of them show what the primary shows at this moment. */
  async awaitReplay(count = this.#servers.length): Promise<void> {
    const { primary, shared } = this.#options;
    const names = this.names.slice(0, count).map(quoted).join(", ");
    const [[reached = null] = []] = await primary.sql("SELECT pg_current_wal_lsn()");
    const question = `SELECT count(*) FROM pg_stat_replication WHERE application_name IN (${names})
      AND state = 'streaming' AND replay_lsn >= ${quoted(reached ?? "0/0")}`;
    for (const end = Date.now() + replayTimeoutMs; Date.now() < end;) {
      const [[found] = []] = await primary.sql(question);
      if (Number(found) === count) return;
      await wait(replayPollMs, undefined, { signal: shared.closing });
    }
    throw new Error("a standby does not follow its primary");
  }

  async #make(server: Server): Promise<void> {
    const { binaries, prepared } = this.#options.shared;
    const base = await prepared;
    await server.make(() => copyCluster(binaries, base, server.data));
  }

  #nameOf(index: number): string {
    return `${this.#options.name}${index + 1}`;
  }
}

type Run = (server: Server, upstream: ServerSettings["upstream"], index: number) => Promise<void>;
