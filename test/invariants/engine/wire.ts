// The line between the processes of a run and the emulator: real HTTP, one request at a time, the next one chosen by the
// seed among all that wait. So every run is a different interleaving, and the same seed gives the same one again.

import {
  ExchangeFailure,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from "../../../provider/api/http/exchange";
import type { TestClock } from "../../support/clock";
import type { Random } from "../../support/random";

/** What can happen to a request of one process; each is asked when its turn has come. */
export interface Line {
  /** The process is gone: what it wanted to send never leaves. */
  isCut(): boolean;
  /** Before it is sent; whoever ends the process here says so by `isCut`. */
  beforeSend(): void;
  /** After it was answered, before anybody sees the answer. */
  afterAnswer(): void;
  /** The connection never comes to be. */
  isRefused(): boolean;
}

export interface Wire {
  connect(line: Line): (request: WireRequest) => Promise<WireAnswer>;
  close(): Promise<void>;
}

interface Waiting {
  request: WireRequest;
  line: Line;
  settle: (outcome: Promise<WireAnswer>) => void;
  release: () => void;
}

/** Turns of the event loop without news after which all who want to send have said so. */
const QUIET_TURNS = 2;

export function createWire(transport: Transport, clock: TestClock, random: Random): Wire {
  let waiting: Waiting[] = [];
  let isBusy = false;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      await untilQuiet(() => waiting.length);
      const [next] = waiting.splice(random.below(waiting.length), 1);
      if (next === undefined) continue;
      await serve(next);
      next.release();
    }
    isBusy = false;
  }

  /** Whoever is cut off never hears of it again: a process that was killed handles no errors. */
  async function serve({ request, line, settle }: Waiting): Promise<void> {
    if (!line.isCut()) line.beforeSend();
    if (line.isCut()) return;
    const outcome = line.isRefused() ? refusal() : transport.send(request);
    await Promise.allSettled([outcome]);
    line.afterAnswer();
    if (!line.isCut()) settle(outcome);
  }

  return {
    connect: (line) => (request) =>
      new Promise((resolve) => {
        waiting.push({ request, line, settle: resolve, release: clock.hold() });
        if (isBusy) return;
        isBusy = true;
        void work();
      }),
    close: async () => {
      waiting = [];
      await transport.close();
    },
  };
}

function refusal(): Promise<WireAnswer> {
  return Promise.reject(
    new ExchangeFailure("the connection was refused (ECONNREFUSED)", { sent: "no", passing: true }),
  );
}

async function untilQuiet(count: () => number): Promise<void> {
  let before = count();
  for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (count() === before) continue;
    before = count();
    quiet = -1;
  }
}
