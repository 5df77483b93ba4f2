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
const NAMES_NO_CHANGE = /^(ready|paused|unstable|rebalancing)$/i;

interface Sent {
  serviceId: string;
  /** A fault has changed its answer. */
  isLost: boolean;
  by: unknown;
  shown: unknown;
}

export function createOverlapWatch(world: () => Emulator) {
  /** By change: its service, its sender, and what that has seen of the status of the service. */
  const sent = new Map<string | undefined, Sent>();
  /** By process and service: the status that the last answer showed. */
  const shown = new Map<unknown, Map<string, unknown>>();
  let earlier: readonly LedgerEntry[] = [];
  let sender: unknown;

  /** A fork is a change of its source. */
  const serviceOf = ({ kind, id, operation, requestId }: LedgerEntry): string | undefined =>
    kind === "service" && operation !== "forkService" ? id : sent.get(requestId)?.serviceId;

  const isEarlier = ({ requestId }: LedgerEntry): boolean => earlier.some((one) => one.requestId === requestId);

  /** The previous change of the same service. */
  function predecessor(entry: LedgerEntry): LedgerEntry | undefined {
    const ledger = world().ledger();
    const at = ledger.findIndex((one) => one.requestId === entry.requestId);
    const serviceId = serviceOf(entry);
    const isOfIt = (one: LedgerEntry): boolean => one.id === serviceId || serviceOf(one) === serviceId;
    return serviceId === undefined ? undefined : ledger.slice(0, at).findLast(isOfIt);
  }

  return {
    /** A command begins: reads of earlier commands do not count for it. */
    begin(): void {
      earlier = world().ledger();
      shown.clear();
    },
    /** The next request is of this process. */
    sending(by: unknown): void {
      sender = by;
    },
    /** It has read this. */
    shown(serviceId: string, status: unknown): void {
      shown.set(sender, (shown.get(sender) ?? new Map<string, unknown>()).set(serviceId, status));
    },
    /** Must be called for each answered request of the provider. */
    requested({ id, committed, params, fault }: RequestRecord): void {
      const serviceId = params["service_id"];
      if (committed && serviceId !== undefined) {
        const isLost = fault !== undefined;
        sent.set(id, { serviceId, isLost, by: sender, shown: shown.get(sender)?.get(serviceId) });
      }
    },
    /** Whether the sender could not know of the running change. */
    isUnseen(entry: LedgerEntry): boolean {
      // A change that is repeated after a lost answer may overlap with itself.
      if (isRepeat(world(), entry)) return true;
      const before = predecessor(entry);
      if (before === undefined) return false;
      if (SILENT.has(before.operation ?? "") && isRepeat(world(), before)) return true;
      // Another process of this run sent it: each has locks of its own, and knows what a read has shown.
      const [mine, other] = [sent.get(entry.requestId), sent.get(before.requestId)];
      const isOther = !isEarlier(before) && mine?.by !== other?.by;
      // The last look of a new replica set is at the list of sets, which shows no change of the service.
      const isNewSet = entry.operation === "createReplicaSet";
      const isSettled = NAMES_NO_CHANGE.test(String(mine?.shown));
      if (isOther && (isNewSet || isSettled)) return true;
      // Nor does a service show that one of its sets comes or goes, which an earlier command has sent, or whose answer was lost.
      const isOfSet = ["createReplicaSet", "deleteReplicaSet"].includes(before.operation ?? "");
      if (isOfSet && isSettled && (isEarlier(before) || other?.isLost === true)) return true;
      if (isNewSet && isEarlier(before)) return true;
      // API: a server that allows one change at a time refuses a delete beside another one. A delete does not wait by itself:
      // two processes of a run have no common lock, and in a brown-out two 404s end the wait for the first delete too early.
      const isDelete = DELETES.has(entry.operation ?? "");
      if (isDelete && DELETES.has(before.operation ?? "")) return true;
      // A delete does not wait for a change of an earlier command either, which nobody needs any more.
      return isDelete && isEarlier(before);
    },
  };
}

/** Whether the previous change of the object was the same call. */
export function isRepeat(world: Emulator, { id, operation, requestId }: LedgerEntry): boolean {
  const ledger = world.ledger();
  const at = ledger.findIndex((one) => one.requestId === requestId);
  return ledger.slice(0, at).findLast((one) => one.id === id)?.operation === operation;
}
