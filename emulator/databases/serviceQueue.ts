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

/** A server that exits again within this time is not restarted at once. */
const crashLoopMs = 2_000;

interface Turn {
  /** Resolves with the servers when the turn begins. */
  readonly begins: Promise<ServiceServers>;
  end(): void;
}

interface QueueStart {
  /** The service that this one is a fork of. */
  readonly source: ServiceQueue | undefined;
  /** No work begins before this. */
  readonly after: Promise<void>;
}

export class ServiceQueue {
  readonly servers: ServiceServers;
  readonly #shared: SharedResources;
  readonly #events: BackendEvents;
  /** The turn that a fork took in the queue of its source when the fork was requested. */
  readonly #turn: Turn | undefined;
  #wanted: WantedService;
  #tail: Promise<void>;
  #refuseMs = 0;
  #lastExitAt = 0;
  /** The error of the last failed attempt, and whether a failure was reported since the last successful attempt. */
  #failure = "";
  #isTold = false;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(shared: SharedResources, wanted: WantedService, events: BackendEvents, { source, after }: QueueStart) {
    this.#tail = after;
    this.#shared = shared;
    this.#wanted = wanted;
    this.#events = events;
    this.#turn = source?.takeTurn();
    this.servers = new ServiceServers(shared, wanted, {
      logged: (entry) => events.logged(wanted.id, entry),
      exited: (isPrimary) => this.#onUnexpectedExit(isPrimary),
    });
  }

  get idle(): Promise<void> {
    return this.#tail;
  }

  get wanted(): WantedService {
    return this.#wanted;
  }

  apply(wanted: WantedService, work: Work): void {
    this.#wanted = wanted;
    this.#enqueue(0, work);
  }

  /** A place in the queue: later requests to this service run after it. */
  takeTurn(): Turn {
    const previous = this.#tail;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#tail = previous.then(() => ended);
    return { begins: previous.then(() => this.servers), end };
  }

  refuse(ms: number): void {
    this.#refuseMs = ms;
  }

  /** Begins no further work; running work ends. */
  async close(): Promise<void> {
    this.#turn?.end();
    for (const timer of this.#timers) clearTimeout(timer);
    // Servers with stored data are shut down cleanly, so that they need no recovery at the next start.
    const signal = this.#shared.isKept ? "SIGINT" : "SIGQUIT";
    await this.servers.stop(signal);
    await this.#tail;
    await this.servers.stop(signal);
  }

  #enqueue(pauseMs = 0, work = new Work()): Work {
    void this.#takeAddress().then(() => work.address());
    const previous = this.#tail;
    this.#tail = (async () => {
      await previous;
      if (pauseMs > 0) await this.#pause(pauseMs);
      const isThere = await this.#carryOut(work);
      work.finish(isThere ? undefined : this.#failure);
      if (!isThere) this.#reportFailure();
    })();
    return work;
  }

  /** Nobody waits for an address that cannot be taken: the work fails for the same reason, and reports it. */
  async #takeAddress(): Promise<void> {
    const { power, id, moves } = this.#wanted;
    if (power === "running") await this.#shared.ports.take(portKey(id, "direct", moves)).catch(() => undefined);
  }

  async #carryOut(work: Work): Promise<boolean> {
    const isRefusing = this.#refuseMs > 0;
    for (const pauseMs of [...retryPausesMs, undefined]) {
      if (this.#isClosing()) return true;
      try {
        await this.servers.reconcile(this.#wanted, {
          isRefusing,
          begun: () => work.begin(),
          copyOf: (copy) => this.#copyInTurn(copy),
        });
        if (isRefusing) this.#later(this.#refuseMs, () => this.#acceptAgain());
        this.#isTold = false;
        return true;
      } catch (error) {
        if (this.#isClosing()) return true;
        this.#report(error);
        if (pauseMs !== undefined) await this.#pause(pauseMs);
      }
    }
    return false;
  }

  /** The service shows as UNSTABLE from here on, so that it can be deleted. */
  #reportFailure(): void {
    this.#turn?.end();
    if (this.#wanted.power === "gone") return;
    const reason = `it cannot be started, and is tried again every ${retryLaterMs / 1_000} s: ${this.#failure}`;
    this.#events.failed(this.#wanted.id, this.#enqueue(retryLaterMs), this.#isTold ? undefined : reason);
    this.#isTold = true;
  }

  #isClosing(): boolean {
    return this.#shared.closing.aborted;
  }

  /** The turn lasts until a copy has succeeded or the fork is given up. */
  async #copyInTurn(copy: (source: ServiceServers) => Promise<void>): Promise<void> {
    if (!this.#turn) throw new Error("the service to copy from is gone");
    await copy(await this.#turn.begins);
    this.#turn.end();
  }

  #acceptAgain(): void {
    this.#refuseMs = 0;
    void this.#enqueue().done;
  }

  #onUnexpectedExit(isPrimary: boolean): void {
    if (this.#isClosing() || this.#wanted.power !== "running") return;
    const now = Date.now();
    const pauseMs = now - this.#lastExitAt < crashLoopMs ? 500 : 0;
    this.#lastExitAt = now;
    const work = this.#enqueue(pauseMs);
    if (isPrimary) this.#events.failed(this.#wanted.id, work, "its server exited unexpectedly, and is started again");
  }

  #report(error: unknown): void {
    this.#failure = messageOf(error);
    const message = `emulator: ${this.#failure}`;
    this.#events.logged(this.#wanted.id, { at: Date.now(), node: 0, severity: "FATAL", message });
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#shared.closing }).catch(() => undefined);
  }

  #later(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, ms);
    this.#timers.add(timer);
  }
}
