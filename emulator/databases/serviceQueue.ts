// The work queue of one service. Each piece of work brings the servers to the newest wanted state, so that a late piece
// has nothing left to do. Failed work is repeated.

import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../errors";
import { Work, type BackendEvents, type WantedService } from "./backend";
import type { SharedResources } from "./sharedResources";
import { portKey, ServiceServers } from "./serviceServers";

/**
 * Pauses before the next attempt; after the last one the service shows as UNSTABLE, and is tried again at intervals.
 */
const retryPausesMs = [100, 500];
const retryLaterMs = 5_000;

/** One that exits again and again must not use up the machine. */
const crashPauseMs = 200;

interface Turn {
  /** Resolves with the servers when the turn begins. */
  readonly begins: Promise<ServiceServers>;
  end(): void;
}

export type ServiceQueue = ReturnType<typeof createServiceQueue>;

/** `source`: the queue of the service that this one is a fork of. No work begins before `after`. */
export function createServiceQueue(
  shared: SharedResources,
  first: WantedService,
  events: BackendEvents,
  source: { takeTurn(): Turn } | undefined,
  after: Promise<void>,
) {
  const { id } = first;
  let wanted = first;
  let tail = after;
  /** The error of the last failed attempt, and whether a failure was reported since the last successful attempt. */
  let failure = "";
  let isTold = false;
  /** The turn that a fork took in the queue of its source when the fork was requested. */
  const turn = source?.takeTurn();
  const isClosing = (): boolean => shared.closing.aborted;
  const servers = new ServiceServers(shared, first, {
    logged: (entry) => events.logged(id, entry),
    exited: (isPrimary) => onUnexpectedExit(isPrimary),
  });
  return {
    get idle(): Promise<void> {
      return tail;
    },
    get wanted(): WantedService {
      return wanted;
    },
    apply,
    takeTurn,
    close,
  };

  function apply(next: WantedService, work: Work): void {
    wanted = next;
    enqueue(0, work);
  }

  /** A place in the queue: later requests to this service run after it. */
  function takeTurn(): Turn {
    const previous = tail;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    tail = previous.then(() => ended);
    return { begins: previous.then(() => servers), end };
  }

  /** Begins no further work; running work ends. */
  async function close(): Promise<void> {
    turn?.end();
    // Servers with stored data are shut down cleanly, so that they need no recovery at the next start.
    const signal = shared.isKept ? "SIGINT" : "SIGQUIT";
    await servers.stop(signal);
    await tail;
    await servers.stop(signal);
  }

  function enqueue(pauseMs = 0, work = new Work()): Work {
    void takeAddress().then(() => work.address());
    const previous = tail;
    tail = (async () => {
      await previous;
      if (pauseMs > 0) await pause(pauseMs);
      const isThere = await carryOut(work);
      work.finish(isThere ? undefined : failure);
      if (!isThere) reportFailure();
    })();
    return work;
  }

  /** Nobody waits for an address that cannot be taken: the work fails for the same reason, and reports it. */
  async function takeAddress(): Promise<void> {
    const { power, moves } = wanted;
    if (power === "running") await shared.ports.take(portKey(id, "direct", moves)).catch(() => undefined);
  }

  async function carryOut(work: Work): Promise<boolean> {
    for (const pauseMs of [...retryPausesMs, undefined]) {
      if (isClosing()) return true;
      try {
        await servers.reconcile(wanted, { begun: () => work.begin(), copyOf: (copy) => copyInTurn(copy) });
        isTold = false;
        return true;
      } catch (error) {
        if (isClosing()) return true;
        report(error);
        if (pauseMs !== undefined) await pause(pauseMs);
      }
    }
    return false;
  }

  /** The service shows as UNSTABLE from here on, so that it can be deleted. */
  function reportFailure(): void {
    turn?.end();
    if (wanted.power === "gone") return;
    const reason = `it cannot be started, and is tried again every ${retryLaterMs / 1_000} s: ${failure}`;
    events.failed(id, enqueue(retryLaterMs), isTold ? undefined : reason);
    isTold = true;
  }

  /** The turn lasts until a copy has succeeded or the fork is given up. */
  async function copyInTurn(copy: (from: ServiceServers) => Promise<void>): Promise<void> {
    if (!turn) throw new Error("the service to copy from is gone");
    await copy(await turn.begins);
    turn.end();
  }

  function onUnexpectedExit(isPrimary: boolean): void {
    if (isClosing() || wanted.power !== "running") return;
    const work = enqueue(crashPauseMs);
    if (isPrimary) events.failed(id, work, "its server exited unexpectedly, and is started again");
  }

  function report(error: unknown): void {
    failure = messageOf(error);
    const message = `emulator: ${failure}`;
    events.logged(id, { at: Date.now(), severity: "FATAL", message });
  }

  async function pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: shared.closing }).catch(() => undefined);
  }
}
