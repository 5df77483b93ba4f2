// A model of a run that waits: the engine starts a number of operations at once, one after the other, and each becomes
// ready after its own time. Uses the real waiter and shared reader on a clock that jumps; only the server is a table.

import { type Acceptance, waitFor } from "../../provider/lifecycle/converge/waiter";
import { SharedReader } from "../../provider/lifecycle/session/sharedReader";
import { listed } from "../../provider/domain/listed";
import { createTestClock } from "./clock";

interface Item {
  id: string;
  isReady: boolean;
}

export interface WaitingRun {
  count: number;
  parallel: number;
  /** How long each operation takes. */
  readyAfterMs: (index: number) => number;
  /** Default: no jitter. */
  random?: () => number;
  /** How long each read takes. Default: no time. */
  answerMs?: number;
}

export interface Waited {
  gets: number;
  elapsedMs: number;
  /** The delays from ready to done, shortest first. */
  lateMs: number[];
}

/** The engine starts one operation after the other. */
const FEED_MS = 5;
const INTERVAL_MS = 1_000;

export async function runWaiting(run: WaitingRun): Promise<Waited> {
  const { count, parallel, readyAfterMs, random = () => 0, answerMs } = run;
  const clock = createTestClock(0);
  const readyMs = new Map<string, number>();
  const itemOf = (id: string): Item => ({ id, isReady: clock.now() >= (readyMs.get(id) ?? Infinity) });
  let gets = 0;
  const counted = async <T>(answer: T): Promise<T> => {
    gets += 1;
    if (answerMs !== undefined) await clock.sleep(answerMs);
    return answer;
  };
  const source = {
    one: (id: string) => counted(itemOf(id)),
    all: () => counted(listed([...readyMs.keys()].map(itemOf))),
    idOf: ({ id }: Item) => id,
  };
  const reader = new SharedReader(source, { clock, wallClock: clock }, INTERVAL_MS);
  const pace = { clock, intervalMs: INTERVAL_MS, intervalMaxMs: 15_000, random };
  const acceptor = ({ isReady }: Item): Acceptance =>
    isReady ? { is: "success" } : { is: "retry", seen: "CONFIGURING" };
  const lateMs: number[] = [];
  let fedMs = 0;
  let next = 0;
  const lane = async (): Promise<void> => {
    for (;;) {
      fedMs = Math.max(clock.now(), fedMs + FEED_MS);
      if (fedMs > clock.now()) await clock.sleep(fedMs - clock.now());
      if (next >= count) return;
      const index = next;
      next += 1;
      const id = `s${index}`;
      const readyAtMs = clock.now() + readyAfterMs(index);
      readyMs.set(id, readyAtMs);
      const deadlineMs = clock.now() + 3_600_000;
      const wait = { what: "create", label: id, id, deadlineMs, report: () => undefined, acceptor };
      await waitFor(reader, { ...wait, first: "later" }, pace);
      lateMs.push(clock.now() - readyAtMs);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, count) }, lane));
  clock.close();
  return { gets, elapsedMs: clock.now(), lateMs: lateMs.toSorted((a, b) => a - b) };
}
