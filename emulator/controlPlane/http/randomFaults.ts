// Random faults from a seed.

import { createRandom, type Random } from "../world/random";
import type { Fault, FaultRule, RandomFaultKind, RandomFaults } from "./faults";

const usualKinds: readonly RandomFaultKind[] = [
  "lostBefore",
  "lostAfter",
  "status",
  "html",
  "truncate",
  "garbage",
  "delay",
];

export function randomRule(options: RandomFaults): FaultRule {
  const random = createRandom(options.seed);
  const kinds = options.kinds ?? usualKinds;
  return {
    kind: "random",
    struck: 0,
    isDown: () => false,
    choose(record) {
      if (options.operations && (!record.operation || !options.operations.includes(record.operation))) return undefined;
      if (random() >= options.rate) return undefined;
      const kind = kinds[Math.floor(random() * kinds.length)];
      return kind && randomFault(kind, random);
    },
  };
}

const pick = <T>(random: Random, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0];

const nonsense = ["", "<html></html>", "{", null, [], { id: 7 }] as const;

function randomFault(kind: RandomFaultKind, random: Random): Fault {
  const commit = random() < 0.5;
  const made: Record<RandomFaultKind, () => Fault> = {
    lostBefore: () => ({ kind: "lostBefore" }),
    lostAfter: () => ({ kind: "lostAfter" }),
    status: () => randomStatus(random, commit),
    html: () => ({ kind: "html", status: pick(random, [502, 503, 504]), commit }),
    truncate: () => ({ kind: "truncate", commit }),
    stall: () => ({ kind: "stall", commit }),
    garbage: () => ({ kind: "garbage", body: pick<unknown>(random, nonsense), commit }),
    delay: () => ({ kind: "delay", ms: Math.floor(random() * 20) }),
    stuck: () => ({
      kind: "stuck",
      status: pick(random, ["UNSTABLE", "REBALANCING"]),
      reads: 1 + Math.floor(random() * 4),
    }),
    redirect: () => ({ kind: "redirect", location: "http://127.0.0.1:9/elsewhere" }),
    refusing: () => ({ kind: "refusing", ms: Math.floor(random() * 200) }),
    endless: () => ({ kind: "endless", commit }),
  };
  return made[kind]();
}

/** API: 429 means that nothing happened; a 5xx may come after the work was done. */
function randomStatus(random: Random, commit: boolean): Fault {
  const status = pick(random, [429, 500, 502, 503, 504]);
  if (status !== 429) return { kind: "status", status, commit };
  return { kind: "status", status, headers: random() < 0.5 ? { "Retry-After": "0" } : {} };
}
