// Real PostgreSQL behind the endpoints: one server for each service, on this machine only.

import type {
  AddressQuery,
  Backend,
  BackendAddress,
  BackendEvents,
  PostgresState,
  WantedService,
  Work,
} from "./backend";
import type { House } from "./house";
import { ServiceLine } from "./serviceLine";
import { portKey } from "./serviceServers";

const host = "127.0.0.1";

export class ProcessBackend implements Backend {
  readonly state: PostgresState;
  readonly #house: House;
  readonly #events: BackendEvents;
  readonly #maxServers: () => number;
  readonly #lines = new Map<string, ServiceLine>();
  #closed: Promise<void> | undefined;

  constructor(house: House, events: BackendEvents, maxServers: () => number) {
    const { version, source, bin } = house.binaries;
    this.#house = house;
    this.#events = events;
    this.#maxServers = maxServers;
    this.state = {
      kind: "processes",
      version,
      source,
      bin,
      pooler: house.pgbouncer === undefined ? "pass-through" : "pgbouncer",
      caFile: house.certificates.authority,
    };
  }

  room(): number {
    let servers = 0;
    for (const { wanted } of this.#lines.values()) servers += serverCount(wanted);
    return this.#maxServers() - servers;
  }

  address({ id, role, moves }: AddressQuery): BackendAddress | undefined {
    const port = this.#house.ports.get(portKey(id, role, moves));
    return port === undefined ? undefined : { host, port };
  }

  apply(wanted: WantedService): Work | undefined {
    if (this.#closed) return undefined;
    const known = this.#lines.get(wanted.id);
    if (!known && wanted.power === "gone") return undefined;
    // After a reset the same ids are given out again: the new service has nothing of the one that leaves.
    const isNew = known === undefined || (known.wanted.power === "gone" && wanted.power !== "gone");
    const line = isNew ? this.#open(wanted, known?.idle) : known;
    this.#lines.set(wanted.id, line);
    const work = line.apply(wanted);
    if (wanted.power === "gone") void work.done.then(() => this.#forget(wanted.id, line));
    return work;
  }

  keepOnly(serviceIds: ReadonlySet<string>): void {
    for (const { wanted } of this.#lines.values()) {
      if (!serviceIds.has(wanted.id)) this.apply({ ...wanted, power: "gone", replicaSets: [] });
    }
  }

  #forget(serviceId: string, line: ServiceLine): void {
    if (this.#lines.get(serviceId) === line) this.#lines.delete(serviceId);
  }

  #open(wanted: WantedService, after: Promise<void> = Promise.resolve()): ServiceLine {
    const source = wanted.source && this.#lines.get(wanted.source.serviceId);
    return new ServiceLine(this.#house, wanted, this.#events, { source, after });
  }

  refuse(serviceId: string, ms: number): void {
    this.#lines.get(serviceId)?.refuse(ms);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#house.abort();
    await Promise.all([...this.#lines.values()].map((line) => line.close()));
    await this.#house.close();
  }
}

function serverCount({ power, replicaCount, replicaSets }: WantedService): number {
  if (power === "gone") return 0;
  return replicaSets.reduce((sum, { nodes }) => sum + nodes, 1 + replicaCount);
}
