// The faults of one command of a walk: milliseconds long, all from one seed.

import type { RequestRecord } from "../../../emulator/index";
import {
  type Acting,
  drawAct,
  drawCut,
  drawMembers,
  drawOutage,
  drawPaused,
  drawWord,
} from "../../invariants/operator/acts";
import { createRandom, type Random } from "../../support/random";
import { count, lookAt, type Machine, TIME_SCALE } from "./machine";
import type { StackName } from "./model";
import { nameOf } from "./report";

const BURSTS = ["429", "403 on a change", "403 on reads", "lost create", "down", "none"] as const;

/** What answers show, and how many commands with faults meet it. */
const OTHERS = [
  // Few commands create what has a name of its own, which somebody else can take first.
  [0.8, (random: Random, skip: number) => drawAct(random, skip, "take a name")],
  [0.4, (random: Random, skip: number) => drawAct(random, skip, "fail or recover")],
  [0.3, (random: Random, skip: number) => drawAct(random, skip, "tag")],
  [0.9, drawPaused],
  [0.3, drawWord],
] as const;
const OUTAGES = [
  [1, drawOutage],
  [1, drawOutage],
] as const;
/**
 * Never beside an outage: what a list leaves out for good, and half a minute of reads by its id misses, counts as gone, as every
 * user is told.
 */
const CUTS = [
  [1, drawCut],
  [0.6, drawCut],
  [0.6, drawMembers],
] as const;

/** What others do and what answers show, beside requests that fail. Many commands send few requests. */
export function beginFaults(machine: Machine, stack: StackName, seed: number): void {
  const random = createRandom(seed);
  const acting = actingIn(machine, stack);
  for (let acts = 2 + random.below(4); acts > 0; acts -= 1) drawAct(random, random.below(2)).begin(acting);
  for (const [share, draw] of [...OTHERS, ...(random.isLucky(0.6) ? OUTAGES : CUTS)])
    if (random.isLucky(share)) draw(random, random.below(2), TIME_SCALE).begin(acting);
  if (random.isLucky(0.4)) failRequests(machine, random);
}

/** What the acts of others need. What a program of the other stack needs is deleted by hand in it, too. */
export function actingIn(machine: Machine, stack: StackName): Acting {
  const { entries } = lookAt(machine);
  return {
    emulator: machine.world.emulator,
    judge: machine.judge,
    ours: () => entries,
    known: () => entries.filter((one) => one.stack === stack),
    deletable: () => {
      const { objects } = lookAt(machine);
      return entries.filter(({ id, outputs }) => objects.has(id) && outputs["deletionProtection"] !== true);
    },
    coming: () =>
      machine.programs[stack].flatMap((one) =>
        one.kind === "service" && !entries.some(({ logical }) => logical === one.logical) ? [nameOf(stack, one)] : [],
      ),
    drawn: machine.drawn,
    count: (what) => count(machine, what),
  };
}

function failRequests({ world }: Machine, random: Random): void {
  const { faults } = world.emulator;
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
  if (burst === "down") faults.add({ kind: "lostBefore", skip, ms });
  const kinds = ["lostBefore", "lostAfter", "status", "html", "truncate"] as const;
  if (rate > 0) faults.random({ seed: random.seed(), rate, kinds });
}
