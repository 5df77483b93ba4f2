// The conditions of a run, which last: how slow, how stale and how unusual the server is.

import type { EmulatorOptions, Switches } from "../../emulator/index";
import { defaultTimings } from "../../emulator/index";
import type { Form } from "../../provider/pulumi/stateNames";
import type { Random } from "../support/random";

export interface Conditions {
  options: EmulatorOptions;
  form: Form;
  /** Share of the commands with faults. */
  faultyShare: number;
  /** Share of the commands with a kill. */
  killShare: number;
}

const SECOND_MS = 1_000;
const TIMINGS = Object.keys(defaultTimings);

export function conditionsOf(random: Random, form: Form): Conditions {
  const slow = 1 + random.below(90 * SECOND_MS);
  const isDifferent = random.isLucky(0.5);
  return {
    faultyShare: random.pick([0, 0.5, 0.8, 1]),
    killShare: random.pick([0, 0.2, 0.5]),
    form,
    options: {
      timings: Object.fromEntries(TIMINGS.map((step) => [step, [0, 1 + random.below(longestMs(step, slow))]])),
      stale: random.pick([{}, {}, { reads: 1 + random.below(3) }, { ms: random.below(5 * SECOND_MS), comesBack: 1 }]),
      // By time alone: after a crash a process can wait a minute, but cannot know how often others have read.
      listLag: random.pick([{}, {}, { ms: random.below(30 * SECOND_MS) }]),
      notFoundAfterCreate: random.pick([{}, {}, { reads: 1 + random.below(3) }, { ms: random.below(60 * SECOND_MS) }]),
      ...(random.isLucky(0.2) ? { rateLimit: { perSecond: 2 + random.below(8), burst: 2 + random.below(8) } } : {}),
      // A server that allows two changes at once shows which client sends them.
      switches: { busy: random.pick(["refuse", "allow"]), ...(isDifferent ? deploymentDifferences(random) : {}) },
    },
  };
}

/**
 * API: a service stays READY while its pooler changes; after a lost answer no client can see that the change still
 * runs. So it is short.
 */
function longestMs(step: string, slow: number): number {
  return step === "pooler" ? Math.min(slow, 20 * SECOND_MS) : slow;
}

/** Points on which deployments differ: the provider must work with any combination. */
function deploymentDifferences(random: Random): Partial<Switches> {
  const flag = (): boolean => random.isLucky(0.4);
  return {
    vpcStatus: flag(),
    deleteVpcInUse: random.pick(["refuse", "cascade"]),
    busyStatus: random.pick([409, 423]),
    deletedServices: random.pick(["404", "DELETED", "listed"]),
    vpcEndpointSpelling: random.pick(["vpc_endpoint", "vpcEndpoint", "both"]),
    endpointInVpc: random.pick(["absent", "empty", "kept"]),
    endpointGapReads: random.below(3),
    renameMovesHost: flag(),
    nullFields: flag(),
    unknownFields: flag(),
    omitZeroHa: flag(),
    statusCase: random.pick(["documented", "lower", "upper"]),
    idLooks: random.pick(["plain", "hostile"]),
    replicaSetOnService: random.pick(["never", "delete", "always"]),
  };
}
