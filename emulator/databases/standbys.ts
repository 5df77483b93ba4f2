// Standbys of a primary, the nodes of a read replica set: copies of the prepared cluster that stream all WAL since then.

import { setTimeout as wait } from "node:timers/promises";
import type { SharedResources } from "./sharedResources";
import { copyCluster } from "./server/cluster";
import type { Server } from "./server/server";
import type { ServerSettings } from "./server/settings";
import { quoted } from "./server/sql";

/** How long a standby may take to replay what was written before it was requested. */
const replayTimeoutMs = 60_000;
const replayPollMs = 10;

export type Standbys = ReturnType<typeof createStandbys>;
type StartServer = (server: Server, upstream: ServerSettings["upstream"], index: number) => Promise<void>;

/** `name` begins the names by which the primary knows them: letters, digits and underscores. */
export function createStandbys(
  { binaries, closing, copies, prepared }: SharedResources,
  primary: Server,
  name: string,
  make: (index: number) => Server,
) {
  let servers: Server[] = [];
  const nameOf = (index: number): string => `${name}${index + 1}`;
  /** Resolves when the first ones show what the primary shows at this moment. */
  const awaitReplay = async (count = servers.length): Promise<void> => {
    const names = servers.slice(0, count).map((_, index) => quoted(nameOf(index)));
    const [[reached = null] = []] = await primary.sql("SELECT pg_current_wal_lsn()");
    const question = `SELECT count(*) FROM pg_stat_replication WHERE application_name IN (${names.join(", ")})
      AND state = 'streaming' AND replay_lsn >= ${quoted(reached ?? "0/0")}`;
    for (const end = Date.now() + replayTimeoutMs; Date.now() < end;) {
      const [[found] = []] = await primary.sql(question);
      if (Number(found) === count) return;
      await wait(replayPollMs, undefined, { signal: closing });
    }
    throw new Error("a standby does not follow its primary");
  };
  const fill = (server: Server): Promise<void> =>
    server.make(async () => copyCluster(binaries, await prepared, server.data));
  return {
    get servers(): readonly Server[] {
      return servers;
    },
    get areRunning(): boolean {
      return servers.every(({ isRunning }) => isRunning);
    },
    awaitReplay,
    /**
     * Starts standbys until there are as many as wanted, and all have what the primary has at this moment. Surplus ones
     * stay until `trim`.
     */
    async grow(count: number, run: StartServer): Promise<void> {
      while (servers.length < count) servers.push(make(servers.length + 1));
      await Promise.all(
        servers.slice(0, count).map(async (server, index) => {
          if (!server.isMade) await copies.run(() => fill(server));
          const { sockets, socketPort: port } = primary;
          await run(server, { sockets, port, name: nameOf(index) }, index);
        }),
      );
      if (count > 0) await awaitReplay(count);
    },
    async trim(count: number): Promise<void> {
      const surplus = servers.slice(count);
      servers = servers.slice(0, count);
      await Promise.all(surplus.map((server) => server.remove()));
    },
    async stop(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
      await Promise.all(servers.map((server) => server.stop(signal)));
    },
  };
}
