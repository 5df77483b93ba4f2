// Overlaps: changes that were sent while another change of the same service ran. A server that allows two at once marks
// them. One is a breach unless nobody could know of the other, and these are all the cases in which nobody could.

import type { Emulator, LedgerEntry, RequestRecord } from "../../../emulator/index";

export interface OverlapWatch {
  /** A command begins: what was read before does not count for it. */
  begin(nowMs: number): void;
  /** Must be called for each answered request of the provider. */
  requested(record: RequestRecord): void;
  /** Whether the sender could not know of the change that ran. */
  isUnseen(entry: LedgerEntry): boolean;
}

/** API: no status shows these. The effect of the first one shows while the same call, repeated, is under way. */
const SILENT: ReadonlySet<string> = new Set([
  "setEnvironment",
  "enableReplicaPooler",
  "disableReplicaPooler",
  "setReplicaEnvironment",
]);
const DELETES: ReadonlySet<string> = new Set(["deleteService", "deleteReplicaSet"]);
/** API: the contract knows no change by these, and what is broken must be deletable. */
const BROKEN: ReadonlySet<string> = new Set(["UNSTABLE", "REBALANCING"]);

export function createOverlapWatch(world: () => Emulator): OverlapWatch {
  /** By service: its status at the last answered read of this command. */
  const statuses = new Map<string, string>();
  /** By request: the service that it was about, and that status of it. */
  const sent = new Map<string | undefined, { serviceId: string; status: string | undefined }>();
  let begunMs = 0;

  const serviceOf = ({ kind, id, requestId }: LedgerEntry): string | undefined =>
    kind === "service" ? id : sent.get(requestId)?.serviceId;

  /** The change of the same service that was sent before. */
  function predecessor(entry: LedgerEntry): LedgerEntry | undefined {
    const ledger = world().ledger();
    const at = ledger.findIndex((one) => one.requestId === entry.requestId);
    const serviceId = serviceOf(entry);
    return ledger.slice(0, at).findLast((one) => serviceId !== undefined && serviceOf(one) === serviceId);
  }

  return {
    begin(nowMs) {
      begunMs = nowMs;
      statuses.clear();
    },
    requested({ id, method, status, committed, params }) {
      const serviceId = params["service_id"];
      if (committed && serviceId !== undefined) sent.set(id, { serviceId, status: statuses.get(serviceId) });
      if (method !== "GET" || status !== 200) return;
      for (const service of world().state().services) statuses.set(service.id, service.status);
    },
    isUnseen(entry) {
      // A change that is repeated after a lost answer may meet itself.
      if (isRepeat(world(), entry)) return true;
      const before = predecessor(entry);
      if (before === undefined) return false;
      if (SILENT.has(before.operation ?? "") && isRepeat(world(), before)) return true;
      // A process that was killed sent it, and a fault holds the service in a status that names no change.
      const isBroken = BROKEN.has(sent.get(entry.requestId)?.status ?? "");
      return DELETES.has(entry.operation ?? "") && isBroken && before.at < begunMs;
    },
  };
}

/** Whether the change of the object before it was the same call. */
export function isRepeat(world: Emulator, { id, operation, requestId }: LedgerEntry): boolean {
  const ledger = world.ledger();
  const at = ledger.findIndex((one) => one.requestId === requestId);
  return ledger.slice(0, at).findLast((one) => one.id === id)?.operation === operation;
}
