// Everything that a test can do with a running emulator beside its API. With a data folder, changes of the world are on
// the disk before the call returns.

import { checkedFaults } from "./driving/admin/faultShapes";
import { isOperation, type OperationName } from "./controlPlane/actions/index";
import { restoreSnapshot, takeSnapshot } from "./driving/data/worldDocument";
import type { Store } from "./driving/data/store";
import type { Controls } from "./emulator";
import type { RequestRecord } from "./controlPlane/http/requests";
import type { RequestHandler } from "./controlPlane/http/respond";
import { createMutate } from "./driving/mutate";
import type { SettableClock } from "./controlPlane/settings/clock";
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

export function createControls({ handler, clock, store, listeners, projectId, seed, initial }: Parts): Controls {
  const { world, faultRules, requestLog } = handler;
  const save = (): void => store?.save();
  const kept =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      const result = work(...args);
      save();
      return result;
    };
  const replaced = <Args extends unknown[]>(work: (...args: Args) => void) =>
    kept((...args: Args): void => {
      work(...args);
      void reconcileWholeBackend(world, clock.now());
    });
  return {
    settings: world.settings,
    faults: checkedFaults(faultRules.faults),
    mutate: createMutate(world, clock.now, projectId, save),
    clock: {
      now: clock.now,
      state: clock.state,
      advance: kept(clock.advance),
      freeze: kept(clock.freeze),
      resume: kept(clock.resume),
    },
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
    reset: replaced(() => {
      emptyWorld(world, seed);
      faultRules.faults.clear();
      requestLog.clear();
      handler.requestCount = 0;
      Object.assign(world.settings, initial());
      clock.apply({ offsetMs: 0, frozenAt: undefined });
    }),
  };
}

const operationNamed = (name: string | undefined): OperationName | undefined =>
  name !== undefined && isOperation(name) ? name : undefined;
