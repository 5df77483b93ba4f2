// The fault schedule of each command: which requests fail, what others do, and whether a process is killed. All of it
// follows from seeds.

import type { OperationName } from "../../emulator/index";
import { operations } from "../../emulator/index";
import type { Form } from "../../provider/pulumi/stateNames";
import type { Conditions } from "./conditions";
import type { Kill } from "./engine/process";
import { drawAct, drawCut, drawMembers, drawOutage, drawPaused, drawWord } from "./operator/acts";
import { actingIn } from "./operator/drift";
import type { Simulation } from "./simulation";
import type { Random } from "../support/random";

const MINUTE_MS = 60_000;

export interface FaultSchedule {
  kill: Kill | undefined;
  refusedShare: number;
  /** Whether every request is served as it is meant. */
  isCalm: boolean;
  /** The schedule in words, for the log of the run. */
  words: string[];
  begin(simulation: Simulation): void;
}

export const NO_FAULTS: FaultSchedule = {
  kill: undefined,
  refusedShare: 0,
  isCalm: true,
  words: [],
  begin: () => undefined,
};

export function faultScheduleOf(conditions: Conditions, random: Random): FaultSchedule {
  const kill = random.isLucky(conditions.killShare) ? killOf(random, conditions.form) : undefined;
  if (!random.isLucky(conditions.faultyShare)) return { ...NO_FAULTS, kill, words: wordsOf(kill) };
  const refusedShare = random.pick([0, 0, 0.05]);
  const bursts = [0, 1].flatMap(() => (random.isLucky(0.5) ? [random.pick(BURSTS)(random)] : []));
  const others = [0, 1].flatMap(() => (random.isLucky(0.5) ? [random.pick(OTHERS)(random)] : []));
  const scattered = scatteredFaults(random);
  return {
    kill,
    refusedShare,
    isCalm: false,
    words: [...wordsOf(kill), scattered.words, ...[...bursts, ...others].map((one) => one.words)],
    begin(simulation) {
      for (const one of [scattered, ...bursts, ...others]) one.begin(simulation);
    },
  };
}

function killOf(random: Random, form: Form): Kill {
  return {
    atRequest: 1 + random.below(random.pick([6, 15, 60])),
    reachesServer: random.isLucky(0.6),
    // The dynamic form does not hear of a Ctrl-C.
    whose: form === "native" && random.isLucky(0.4) ? "user" : random.isLucky(0.8) ? "provider" : "engine",
  };
}

function wordsOf(kill: Kill | undefined): string[] {
  if (kill === undefined) return [];
  const what = kill.whose === "user" ? "Ctrl-C" : `${kill.whose} killed`;
  return [`${what} ${kill.reachesServer ? "after" : "before"} request ${kill.atRequest}`];
}

type FaultBurst = Pick<FaultSchedule, "begin"> & { words: string };

/** Single faults on any request. */
function scatteredFaults(random: Random): FaultBurst {
  const [seed, half, nonsense] = [random.seed(), random.seed(), random.seed()];
  const rate = random.pick([0.02, 0.05, 0.1, 0.25]);
  return {
    words: `faults on ${rate * 100} % of the requests`,
    begin({ emulator: { faults } }) {
      faults.random({ seed, rate, kinds: ["lostBefore", "lostAfter", "status", "html"] });
      faults.random({ seed: half, rate: rate / 5, kinds: ["truncate"], operations: BELIEVED });
      faults.random({ seed: nonsense, rate: rate / 5, kinds: ["garbage"], operations: NOT_LISTED });
    },
  };
}

/** The 2xx for a password is the only evidence of it: a false one cannot be detected. */
const BELIEVED: OperationName[] = operations.filter((name) => name !== "updatePassword");
/** The same for an empty list that should have items. */
const NOT_LISTED = BELIEVED.filter((name) => !/^list|^getProjects/.test(name));

/** Faults that apply to several requests in a row, or to one operation. */
const BURSTS: readonly ((random: Random) => FaultBurst)[] = [
  (random) => {
    const [skip, times, seconds] = [skipOf(random), 3 + random.below(20), random.pick([undefined, 1, 7])];
    const headers = seconds === undefined ? {} : { "Retry-After": String(seconds) };
    return burst(`429 ×${times}`, ({ emulator: { faults } }) =>
      faults.add({ kind: "status", status: 429, headers, skip, times }),
    );
  },
  (random) => {
    const [skip, times, commit] = [skipOf(random), 1 + random.below(6), random.isLucky(0.5)];
    return burst(`503 ×${times}`, ({ emulator: { faults } }) =>
      faults.add({ kind: "status", status: 503, commit, skip, times }),
    );
  },
  (random) => {
    const [skip, times, status] = [skipOf(random), 1 + random.below(3), random.pick([401, 403, 404])];
    return burst(`${status} ×${times}`, ({ emulator: { faults } }) =>
      faults.add({ kind: "status", status, skip, times }),
    );
  },
  (random) => {
    const ms = random.below(3 * MINUTE_MS);
    return burst(`down for ${ms} ms`, ({ emulator: { faults } }) => faults.add({ kind: "lostBefore", ms }));
  },
  (random) => {
    const [skip, ms, reads] = [skipOf(random), random.below(10 * MINUTE_MS), random.below(4)];
    const status = random.pick(["UNSTABLE", "REBALANCING"]);
    // Few servers show the status of a VPC, and a peering has no documented word but "active": a client that deletes
    // one in creation cannot know that it is not finished.
    const match = ({ operation }: { operation: string | undefined }): boolean =>
      operation !== "createVpc" && operation !== "createPeering";
    return burst(`stuck in ${status}`, ({ emulator: { faults } }) =>
      faults.add({ kind: "stuck", status, ms, reads, skip, match }),
    );
  },
  (random) => {
    const kind = random.pick(["lostAfter", "truncate"] as const);
    const [operation, times] = [random.pick(CREATES), 1 + random.below(3)];
    return burst(`${operation} ${kind} ×${times}`, ({ emulator: { faults } }) =>
      faults.add({ kind, operation, times }),
    );
  },
  () =>
    // The provider's create never arrives, and at the same moment somebody else makes a service of that name elsewhere.
    burst("a rival", ({ emulator: { faults, mutate }, judge }) =>
      faults.add({
        kind: "lostBefore",
        operation: "createService",
        match({ body }) {
          const { name } = body as { name: string };
          judge.foreign.add(mutate.createService({ name, regionCode: "ap-south-1" }).id);
          return true;
        },
      }),
    ),
  (random) => {
    const skip = skipOf(random);
    return burst("delays", ({ emulator: { faults } }) => faults.add({ kind: "delay", ms: 1, skip, times: 3 }));
  },
];

/** What others do and what answers show. These apply beside the faults of the same requests. */
const OTHERS: readonly ((random: Random) => FaultBurst)[] = [
  ...Array.from({ length: 5 }, () => drawAct),
  ...Array.from({ length: 4 }, () => drawOutage),
  drawCut,
  drawWord,
  drawMembers,
  drawPaused,
  drawPaused,
].map((draw) => (random) => {
  const { words, begin } = draw(random, skipOf(random));
  return burst(words, (simulation) => begin(actingIn(simulation)));
});

/** A refresh sends a few requests, an up many. */
function skipOf(random: Random): number {
  return random.below(random.pick([1, 4, 20]));
}

const CREATES = ["createService", "forkService", "createVpc", "createPeering", "createReplicaSet"] as const;

function burst(words: string, begin: (...given: Parameters<FaultSchedule["begin"]>) => unknown): FaultBurst {
  return { words, begin: (...given) => void begin(...given) };
}
