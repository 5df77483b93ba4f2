// The connection between the processes of a run and the emulator: real HTTP, one request at a time; the seed chooses
// the next one among all that wait. So every run is a different interleaving, and the same seed repeats it.

import {
  ExchangeFailure,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from "../../../provider/api/http/exchange";
import type { TestClock } from "../../support/clock";
import type { Random } from "../../support/random";

/** Hooks on the requests of one process; each is called when the request's turn has come. */
export interface Line {
  /** Whether the process is gone: its waiting requests are never sent. */
  isCut(): boolean;
  /** Called before a request is sent; a hook that kills the process here makes `isCut` true. */
  beforeSend(): void;
  /** Called with the answer, if one has arrived, before the process gets it. */
  afterAnswer(request: WireRequest, answer: WireAnswer | undefined): void;
  /** Whether the connection is refused. */
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

/** After this many turns of the event loop without a new request, all requests of this moment are waiting. */
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

  /** A process that is cut off gets neither an answer nor an error. */
  async function serve({ request, line, settle }: Waiting): Promise<void> {
    if (!line.isCut()) line.beforeSend();
    if (line.isCut()) return;
    const outcome = line.isRefused() ? refusal() : transport.send(request);
    const answer = await outcome.catch(() => undefined);
    line.afterAnswer(request, answer);
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
