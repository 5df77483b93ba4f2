// Everything that a test can do with a running emulator beside its API. With a data folder, changes of the world are on
// the disk before the call returns.

import { checkedFaults } from "./driving/admin/checkedFaults";
import { isOperation, type OperationName } from "./controlPlane/actions/index";
import { restoreSnapshot, takeSnapshot } from "./driving/data/snapshot";
import type { Store } from "./driving/data/store";
import type { Emulator } from "./emulator";
import type { RequestRecord } from "./controlPlane/http/requests";
import type { RequestHandler } from "./controlPlane/http/respond";
import { createMutate } from "./driving/mutate/index";
import type { EmulatorClock, SettableClock } from "./controlPlane/settings/clock";
import type { Settings } from "./controlPlane/settings/settings";
import { reconcileWholeBackend } from "./controlPlane/world/reconcile";
import { worldStateOf } from "./controlPlane/world/state";
import { advanceWorld, settleWorld, emptyWorld } from "./controlPlane/world/world";

interface Parts {
  readonly handler: RequestHandler;
  readonly clock: SettableClock;
  readonly store: Store | undefined;
  readonly listeners: Set<(request: RequestRecord) => void>;
  readonly projectId: string;
  readonly seed: number;
  readonly initial: () => Settings;
}

type Controls = Omit<
  Emulator,
  | "baseUrl"
  | "adminUrl"
  | "apiKey"
  | "adminKey"
  | "projectId"
  | "seed"
  | "caFile"
  | "close"
  | typeof Symbol.asyncDispose
>;

export function createControls({ handler, clock, store, listeners, projectId, seed, initial }: Parts): Controls {
  const { world, faultRules, requestLog } = handler;
  const { kept, replaced } = keepersOf(handler, clock, store);
  const reset = (): void => {
    emptyWorld(world, seed);
    faultRules.faults.clear();
    requestLog.clear();
    handler.requestCount = 0;
    Object.assign(world.settings, initial());
    clock.apply({ offsetMs: 0, frozenAt: undefined });
  };
  return {
    settings: world.settings,
    faults: checkedFaults(faultRules.faults),
    mutate: createMutate(world, clock.now, projectId, () => store?.save()),
    clock: clockKept(clock, kept),
    state() {
      advanceWorld(world, clock.now());
      return worldStateOf(world, clock.now());
    },
    requests: () => requestLog.all(),
    clearRequests: () => requestLog.clear(),
    watchRequests(listener) {
      const own = (record: RequestRecord): void => listener(record);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    ledger: () => world.ledger.map((entry) => ({ ...entry, operation: operationNamed(entry.operation) })),
    settle: kept(() => settleWorld(world, clock.now())),
    snapshot: () => takeSnapshot(world, clock),
    restore: replaced((snapshot) => restoreSnapshot(world, clock, snapshot)),
    reset: replaced(reset),
  };
}

/** With a data folder, the change or the replaced world is on the disk before the call returns. */
function keepersOf({ world }: RequestHandler, clock: SettableClock, store: Store | undefined) {
  const kept: Keep = (work) => {
    return (...args) => {
      const result = work(...args);
      store?.save();
      return result;
    };
  };
  const replaced = <Args extends unknown[]>(work: (...args: Args) => void) => {
    return (...args: Args): void => {
      work(...args);
      void reconcileWholeBackend(world, clock.now());
      store?.save();
    };
  };
  return { kept, replaced };
}

type Keep = <Args extends unknown[], Result>(work: (...args: Args) => Result) => (...args: Args) => Result;

const clockKept = ({ now, state, advance, freeze, resume }: SettableClock, kept: Keep): EmulatorClock => ({
  now,
  state,
  advance: kept(advance),
  freeze: kept(freeze),
  resume: kept(resume),
});

const operationNamed = (name: string | undefined): OperationName | undefined =>
  name !== undefined && isOperation(name) ? name : undefined;
