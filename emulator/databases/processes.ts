// Real PostgreSQL behind the endpoints: one server for each service, on this machine only.

import { Work, type AddressQuery, type Backend, type BackendAddress } from "./backend";
import type { BackendEvents, PostgresState, WantedService } from "./backend";
import path from "node:path";
import { notWhole } from "../errors";
import { baseName } from "./install/keptFolder";
import { run, script } from "./install/run";
import { isMade } from "./server/server";
import { folderName, type SharedResources } from "./sharedResources";
import { ServiceQueue } from "./serviceQueue";
import { foldersOf, portKey } from "./serviceServers";

const host = "127.0.0.1";

export class ProcessBackend implements Backend {
  readonly state: PostgresState;
  readonly #shared: SharedResources;
  readonly #events: BackendEvents;
  readonly #maxServers: () => number;
  readonly #queues = new Map<string, ServiceQueue>();
  #closed: Promise<void> | undefined;

  constructor(shared: SharedResources, events: BackendEvents, maxServers: () => number) {
    const { version, source, bin } = shared.binaries;
    this.#shared = shared;
    this.#events = events;
    this.#maxServers = maxServers;
    this.state = {
      kind: "processes",
      version,
      source,
      bin,
      pooler: shared.pgbouncer === undefined ? "pass-through" : "pgbouncer",
      caFile: shared.certificates.authority,
    };
  }

  room(): number {
    let servers = 0;
    for (const { wanted } of this.#queues.values()) servers += serverCount(wanted);
    return this.#maxServers() - servers;
  }

  address({ id, role, moves }: AddressQuery): BackendAddress | undefined {
    const port = this.#shared.ports.get(portKey(id, role, moves));
    return port === undefined ? undefined : { host, port };
  }

  apply(wanted: WantedService, work = new Work()): void {
    const known = this.#queues.get(wanted.id);
    if (this.#closed || (!known && wanted.power === "gone")) return work.finish(undefined);
    // After a reset the same ids are assigned again: the new service shares nothing with the one that is being removed.
    const isNew = known === undefined || (known.wanted.power === "gone" && wanted.power !== "gone");
    const queue = isNew ? this.#open(wanted, known?.idle) : known;
    this.#queues.set(wanted.id, queue);
    queue.apply(wanted, work);
    if (wanted.power === "gone") void work.done.then(() => this.#forget(wanted.id, queue));
  }

  async resume(services: readonly WantedService[], isNew: boolean): Promise<void> {
    const { binaries, servers, ports } = this.#shared;
    for (const { id, cluster, isSettled } of services) {
      const folder = path.join(servers, folderName(id, cluster));
      if (cluster === undefined || !isSettled || isMade(folder)) continue;
      const remedy = "put it back, or start with `--postgres off` and delete the service";
      throw notWhole(`${folder}, the database of service ${id}, is missing or not whole`, remedy);
    }
    const lost = services.flatMap((service) => this.#lostSource(service, services) ?? []);
    const known = [...services, ...lost];
    const folders = new Set(known.flatMap(foldersOf));
    const found = (await run(binaries, "ls", ["-1", servers])).split("\n");
    const surplus = found.filter((name) => name !== "" && !name.startsWith(baseName) && !folders.has(name));
    if (isNew && surplus.length > 0)
      throw notWhole(`${servers} has databases, and emulator.json and world.json are missing`);
    await script(binaries, 'cd "$1"; shift; rm -rf -- "$@"', servers, ...surplus);
    const ids = known.flatMap(({ id, replicaSets }) => [id, ...replicaSets.map((set) => set.id)]);
    ports.keepOnly((key) => ids.some((id) => key.startsWith(`${id}/`)));
    for (const source of lost) this.apply(source);
  }

  /** A service that was deleted while a fork of it was being made: the fork still needs its data. */
  #lostSource(fork: WantedService, services: readonly WantedService[]): WantedService | undefined {
    const { servers } = this.#shared;
    const { id, cluster, source } = fork;
    if (!source || isMade(path.join(servers, folderName(id, cluster)))) return undefined;
    if (services.some((service) => service.id === source.serviceId)) return undefined;
    if (!isMade(path.join(servers, folderName(source.serviceId, source.cluster)))) return undefined;
    const onlyData = { power: "stopped", replicaCount: 0, replicaSets: [], source: undefined } as const;
    return { ...fork, ...onlyData, id: source.serviceId, cluster: source.cluster };
  }

  keepOnly(serviceIds: ReadonlySet<string>): void {
    for (const { wanted } of this.#queues.values()) {
      if (!serviceIds.has(wanted.id)) this.apply({ ...wanted, power: "gone", replicaSets: [] });
    }
  }

  #forget(serviceId: string, queue: ServiceQueue): void {
    if (this.#queues.get(serviceId) === queue) this.#queues.delete(serviceId);
  }

  #open(wanted: WantedService, after: Promise<void> = Promise.resolve()): ServiceQueue {
    const source = wanted.source && this.#queues.get(wanted.source.serviceId);
    return new ServiceQueue(this.#shared, wanted, this.#events, { source, after });
  }

  refuse(serviceId: string, ms: number): void {
    this.#queues.get(serviceId)?.refuse(ms);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#shared.abort();
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    await this.#shared.close();
  }
}

function serverCount({ power, replicaCount, replicaSets }: WantedService): number {
  if (power === "gone") return 0;
  return replicaSets.reduce((sum, { nodes }) => sum + nodes, 1 + replicaCount);
}
