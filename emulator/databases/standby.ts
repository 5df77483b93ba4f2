// The server of a read replica set, for all its nodes: a copy of the prepared cluster that streams all WAL of its primary.

import { setTimeout as wait } from "node:timers/promises";
import { folderName, type SharedResources } from "./sharedResources";
import { copyCluster } from "./server/cluster";
import { Server } from "./server/server";
import type { ServerSettings } from "./server/settings";
import { quoted } from "./server/sql";

/** How long it may take to replay what was written before it was requested. */
const replayTimeoutMs = 60_000;
const replayPollMs = 10;

/** The folder of the server of a set, relative to the folder of all servers. */
export const standbyFolder = (id: string, cluster: string | undefined): string => `${folderName(id, cluster)}-1`;

export class Standby {
  readonly server: Server;
  readonly #shared: SharedResources;
  readonly #primary: Server;
  /** By which the primary knows it: letters, digits and underscores. */
  readonly #name: string;

  /** The log of the service has none of its entries. */
  constructor(shared: SharedResources, primary: Server, folder: string, exited: () => void) {
    this.#shared = shared;
    this.#primary = primary;
    this.#name = `set_${folder.replace("-", "_")}`;
    this.server = new Server(shared, folder, { log: () => undefined, exit: exited });
  }

  async run(settings: ServerSettings): Promise<void> {
    const { binaries, copies, prepared } = this.#shared;
    const { sockets, socketPort: port } = this.#primary;
    const { server } = this;
    if (!server.isMade)
      await copies.run(() => server.make(async () => copyCluster(binaries, await prepared, server.data)));
    await server.run({ ...settings, upstream: { sockets, port, name: this.#name } });
  }

  /** Resolves when it shows what the primary shows at this moment. */
  async awaitReplay(): Promise<void> {
    const [[reached = null] = []] = await this.#primary.sql("SELECT pg_current_wal_lsn()");
    const question = `SELECT 1 FROM pg_stat_replication WHERE application_name = ${quoted(this.#name)}
      AND state = 'streaming' AND replay_lsn >= ${quoted(reached ?? "0/0")}`;
    for (const end = Date.now() + replayTimeoutMs; Date.now() < end;) {
      if ((await this.#primary.sql(question)).length > 0) return;
      await wait(replayPollMs, undefined, { signal: this.#shared.closing });
    }
    throw new Error("a standby does not follow its primary");
  }
}
