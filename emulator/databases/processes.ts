// Real PostgreSQL behind the endpoints: one server for each service, on this machine only.

import { Work, type AddressQuery, type Backend, type BackendAddress } from "./backend";
import type { BackendEvents, WantedService } from "./backend";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { notWhole } from "../errors";
import { baseName } from "./install/keptFolder";
import { run, script } from "./install/run";
import { isMade } from "./server/server";
import { folderName, type SharedResources } from "./sharedResources";
import { createServiceQueue, type ServiceQueue } from "./serviceQueue";
import { foldersOf, portKey } from "./serviceServers";

const host = "127.0.0.1";

export function createProcessBackend(
  shared: SharedResources,
  events: BackendEvents,
  maxServers: () => number,
): Backend {
  const queues = new Map<string, ServiceQueue>();
  let closed: Promise<void> | undefined;
  const { version, source: from, bin } = shared.binaries;
  const caFile = shared.certificate.file;
  const state = { kind: "processes", version, source: from, bin, caFile } as const;
  return { state, room, address, apply, resume, keepOnly, close };

  function room(): number {
    const wanted = [...queues.values()].map((queue) => queue.wanted).filter(({ power }) => power !== "gone");
    return maxServers() - wanted.flatMap(foldersOf).length;
  }

  function address({ id, role, moves }: AddressQuery): BackendAddress | undefined {
    const port = shared.ports.get(portKey(id, role, moves));
    return port === undefined ? undefined : { host, port };
  }

  function apply(wanted: WantedService, work = new Work()): void {
    const known = queues.get(wanted.id);
    if (closed || (!known && wanted.power === "gone")) return work.finish(undefined);
    // After a reset the same ids are assigned again: the new service shares nothing with the one that is being removed.
    const isNew = known === undefined || (known.wanted.power === "gone" && wanted.power !== "gone");
    const source = wanted.source && queues.get(wanted.source.serviceId);
    const after = known?.idle ?? Promise.resolve();
    const queue = isNew ? createServiceQueue(shared, wanted, events, source, after) : known;
    queues.set(wanted.id, queue);
    queue.apply(wanted, work);
    if (wanted.power === "gone") void work.done.then(() => queues.get(wanted.id) === queue && queues.delete(wanted.id));
  }

  async function resume(services: readonly WantedService[], isNew: boolean): Promise<void> {
    const { binaries, servers, made, ports } = shared;
    for (const { id, cluster } of services) {
      const name = folderName(id, cluster);
      const folder = path.join(servers, name);
      if (!existsSync(path.join(made, name)) || isMade(folder)) continue;
      const remedy = "put it back, or start with `--postgres off` and delete the service";
      throw notWhole(`${folder}, the database of service ${id}, is missing or not whole`, remedy);
    }
    const folders = new Set(services.flatMap(foldersOf));
    const found = (await run(binaries, "ls", ["-1", servers])).split("\n");
    const surplus = found.filter((name) => name !== "" && !name.startsWith(baseName) && !folders.has(name));
    if (isNew && surplus.length > 0) throw notWhole(`${servers} has databases, and world.db knows of none`);
    await script(binaries, 'cd "$1"; shift; rm -rf -- "$@"', servers, ...surplus);
    for (const name of readdirSync(made)) if (!folders.has(name)) rmSync(path.join(made, name));
    const ids = services.flatMap(({ id, replicaSets }) => [id, ...replicaSets.map((set) => set.id)]);
    ports.release((key) => !ids.some((id) => key.startsWith(`${id}/`)));
  }

  function keepOnly(serviceIds: ReadonlySet<string>): void {
    for (const { wanted } of queues.values()) {
      if (!serviceIds.has(wanted.id)) apply({ ...wanted, power: "gone", replicaSets: [] });
    }
  }

  function close(): Promise<void> {
    shared.abort();
    closed ??= Promise.all([...queues.values()].map((queue) => queue.close())).then(() => shared.close());
    return closed;
  }
}
