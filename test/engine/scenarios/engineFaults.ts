// The conditions and faults of a scenario on the real engine: milliseconds, where the small engine has minutes.

import type { Emulator, EmulatorOptions, RequestRecord } from "../../../emulator/index";
import type { Random } from "../../support/random";

export const LAG_MS = 200;

export interface FaultSchedule {
  words: string;
  begin(emulator: Emulator): void;
}

export const NO_FAULTS: FaultSchedule = { words: "no faults", begin: () => undefined };

export function conditionsOf(random: Random): EmulatorOptions {
  return {
    seed: random.seed(),
    stale: random.pick([{}, {}, { reads: 1 + random.below(3) }, { ms: random.below(LAG_MS), comesBack: 1 }]),
    listLag: random.pick([{}, {}, { ms: random.below(LAG_MS) }]),
    notFoundAfterCreate: random.pick([{}, {}, { reads: 1 + random.below(3) }, { ms: random.below(LAG_MS) }]),
    switches: { vpcStatus: random.isLucky(0.5), busyStatus: random.pick([409, 423]), nullFields: random.isLucky(0.3) },
  };
}

const BURSTS = ["429", "403 on a change", "lost create", "down"] as const;

export function faultScheduleOf(random: Random, burst = random.pick(BURSTS)): FaultSchedule {
  const [rate, seed] = [random.pick([0, 0.02, 0.05, 0.1]), random.seed()];
  const [skip, times, ms] = [random.below(12), 1 + random.below(4), random.below(1_000)];
  return {
    words: `faults on ${rate * 100} %, ${burst}`,
    begin({ faults }) {
      const headers = { "Retry-After": "0" };
      if (burst === "429") faults.add({ kind: "status", status: 429, headers, skip, times });
      const isCreate = ({ operation }: RequestRecord): boolean => /^(create|fork)/.test(operation ?? "");
      if (burst === "lost create") faults.add({ kind: "lostAfter", match: isCreate, skip: skip % 2 });
      const isChange = (request: RequestRecord): boolean => request.method === "POST" && !isCreate(request);
      if (burst === "403 on a change") faults.add({ kind: "status", status: 403, match: isChange, skip: skip % 2 });
      // It begins with a request: before the first one, the engine is busy with itself for seconds.
      let left = skip + 1;
      const goesDown = (): boolean => {
        left -= 1;
        if (left === 0) faults.add({ kind: "down", ms });
        return left === 0;
      };
      if (burst === "down") faults.add({ kind: "lostBefore", match: goesDown });
      if (rate > 0) faults.random({ seed, rate, kinds: ["lostBefore", "lostAfter", "status", "html", "truncate"] });
    },
  };
}
