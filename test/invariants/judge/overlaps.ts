// Overlaps: changes that were sent while another change of the same service ran. A server that allows two at once marks
// them. An overlap is a breach unless the sender could not know of the other change; `isUnseen` has all those cases.

import type { Emulator, LedgerEntry, RequestRecord } from "../../../emulator/index";

export type OverlapWatch = ReturnType<typeof createOverlapWatch>;

/**
 * API: no status shows these changes. When the same call is repeated, the effect of the first already shows while the
 * second runs.
 */
const SILENT: ReadonlySet<string> = new Set([
  "setEnvironment",
  "enableReplicaPooler",
  "disableReplicaPooler",
  "setReplicaEnvironment",
]);
const DELETES: ReadonlySet<string> = new Set(["deleteService", "deleteReplicaSet"]);
/** API: these statuses name no change, and a broken object must be deletable. */
const BROKEN: ReadonlySet<string> = new Set(["UNSTABLE", "REBALANCING"]);

export function createOverlapWatch(world: () => Emulator) {
  /** By service: its status at the last answered read of this command. */
  const statuses = new Map<string, string>();
  /** By request: its service, and the last read status of that service. */
  const sent = new Map<string | undefined, { serviceId: string; status: string | undefined }>();
  let begunMs = 0;

  const serviceOf = ({ kind, id, requestId }: LedgerEntry): string | undefined =>
    kind === "service" ? id : sent.get(requestId)?.serviceId;

  /** The previous change of the same service. */
  function predecessor(entry: LedgerEntry): LedgerEntry | undefined {
    const ledger = world().ledger();
    const at = ledger.findIndex((one) => one.requestId === entry.requestId);
    const serviceId = serviceOf(entry);
    return ledger.slice(0, at).findLast((one) => serviceId !== undefined && serviceOf(one) === serviceId);
  }

  return {
    /** A command begins: reads of earlier commands do not count for it. */
    begin(nowMs: number): void {
      begunMs = nowMs;
      statuses.clear();
    },
    /** Must be called for each answered request of the provider. */
    requested({ id, method, status, committed, params }: RequestRecord): void {
      const serviceId = params["service_id"];
      if (committed && serviceId !== undefined) sent.set(id, { serviceId, status: statuses.get(serviceId) });
      if (method !== "GET" || status !== 200) return;
      for (const service of world().state().services) statuses.set(service.id, service.status);
    },
    /** Whether the sender could not know of the running change. */
    isUnseen(entry: LedgerEntry): boolean {
      // A change that is repeated after a lost answer may overlap with itself.
      if (isRepeat(world(), entry)) return true;
      const before = predecessor(entry);
      if (before === undefined) return false;
      if (SILENT.has(before.operation ?? "") && isRepeat(world(), before)) return true;
      // A killed process sent the other change, and a fault holds the service in a status that names no change.
      const isBroken = BROKEN.has(sent.get(entry.requestId)?.status ?? "");
      return DELETES.has(entry.operation ?? "") && isBroken && before.at < begunMs;
    },
  };
}

/** Whether the previous change of the object was the same call. */
export function isRepeat(world: Emulator, { id, operation, requestId }: LedgerEntry): boolean {
  const ledger = world.ledger();
  const at = ledger.findIndex((one) => one.requestId === requestId);
  return ledger.slice(0, at).findLast((one) => one.id === id)?.operation === operation;
}
