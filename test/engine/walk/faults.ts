// The faults of one command of a walk: milliseconds long, all from one seed.

import type { Emulator, RequestRecord } from "../../../emulator/index";
import { createRandom } from "../../support/random";

const BURSTS = ["429", "403 on a change", "403 on reads", "lost create", "down", "none"] as const;

export function beginFaults({ faults }: Emulator, seed: number): void {
  const random = createRandom(seed);
  const [burst, rate, skip] = [random.pick(BURSTS), random.pick([0, 0.02, 0.05, 0.1]), random.below(6)];
  const [times, ms] = [1 + random.below(4), random.below(1_000)];
  const isCreate = ({ operation }: RequestRecord): boolean => /^(create|fork)/.test(operation ?? "");
  const isChange = (request: RequestRecord): boolean => request.method !== "GET" && !isCreate(request);
  const isRead = ({ method }: RequestRecord): boolean => method === "GET";
  if (burst === "429") faults.add({ kind: "status", status: 429, headers: { "Retry-After": "0" }, skip, times });
  if (burst === "lost create") faults.add({ kind: "lostAfter", match: isCreate, skip: skip % 2 });
  if (burst === "403 on a change") faults.add({ kind: "status", status: 403, match: isChange, skip: skip % 2 });
  if (burst === "403 on reads") faults.add({ kind: "status", status: 403, match: isRead, skip, times });
  // It begins with a request: before the first one, the engine is busy with itself for seconds.
  let left = skip + 1;
  const goesDown = (): boolean => {
    left -= 1;
    if (left === 0) faults.add({ kind: "down", ms });
    return left === 0;
  };
  if (burst === "down") faults.add({ kind: "lostBefore", match: goesDown });
  const kinds = ["lostBefore", "lostAfter", "status", "html", "truncate"] as const;
  if (rate > 0) faults.random({ seed: random.seed(), rate, kinds });
}
