// Whatever slows a hundred deletes, steps and creates down: each ends, each call follows its last look, and together they
// cost few requests.

import { expect, test } from "vitest";
import type { Fault, OperationName, RateLimit, RequestRecord } from "../../emulator/index";
import type { Values } from "../../provider/domain/values/value";
import { isBuildServer } from "../support/repeats";
import { done, LARGE, NET, open, PEER, setOf, SMALL, world } from "./scene";

const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
const timings = { queued: 0, create: 2_000, resize: 2_000, delete: 2_000 };
const timeouts = { create: "4h", update: "4h", delete: "4h" };

/** Between two requests of a turn, at a server that refuses the second of two at once. */
const LONGEST_GAP_MS = 1_000;

interface Look {
  /** All of these, as far as they are there. */
  reads: readonly string[];
  oldestMs: number;
}

/** What decides each call, and how old it may be. A delete has it in its own turn. A peering is decided by the run alone. */
const LOOKS: Readonly<Record<string, Look>> = {
  createVpc: { reads: ["listVpcs"], oldestMs: 2_000 },
  createPeering: { reads: ["listPeerings"], oldestMs: 2_000 },
  createService: { reads: ["listServices"], oldestMs: 2_000 },
  createReplicaSet: { reads: ["getService", "listReplicaSets"], oldestMs: 2_000 },
  deleteService: { reads: ["getService"], oldestMs: 0 },
  deleteReplicaSet: { reads: ["getService"], oldestMs: 0 },
  deleteVpc: { reads: ["getVpc", "listServices", "listPeerings"], oldestMs: 0 },
  deletePeering: { reads: [], oldestMs: 0 },
};
const STEP: Look = { reads: ["getService or listServices"], oldestMs: 1_000 };

interface Schedule {
  rateLimit?: RateLimit;
  limits?: Record<string, string>;
  answerMs?: number;
  gapMs?: number;
  /**
   * The requests of the creates, the steps and the deletes when calls rested on older reads. Those of the deletes are with the
   * second 404 of each, and the lists after it, which they share.
   */
  withoutLooks: readonly number[];
}

const SCHEDULES: Readonly<Record<string, Schedule>> = {
  "a server that lets two requests a second through": { rateLimit: { perSecond: 2 }, withoutLooks: [142, 214, 480] },
  "the same with a Retry-After": { rateLimit: { perSecond: 2, retryAfterSeconds: 1 }, withoutLooks: [142, 214, 480] },
  "a server that refuses two requests at once": {
    rateLimit: { perSecond: 2, burst: 1 },
    gapMs: LONGEST_GAP_MS,
    withoutLooks: [142, 214, 480],
  },
  "one request in two seconds": { limits: { maxRequestsPerSecond: "0.5" }, withoutLooks: [201, 301, 401] },
  "answers that take three seconds": { answerMs: 3_000, withoutLooks: [103, 219, 402] },
  "one request at once": { limits: { maxConcurrency: "1" }, withoutLooks: [113, 110, 409] },
};

/** Every second schedule, the odd or the even ones; the build server takes all. */
const everySecond = (from: 0 | 1) =>
  Object.entries(SCHEDULES).filter((_, index) => isBuildServer || index % 2 === from);

async function openAt({ rateLimit, limits, answerMs = 0 }: Schedule): Promise<void> {
  await open({ timings, ...(rateLimit && { rateLimit }) }, { maxRequestsPerSecond: "10000", ...limits });
  world.told.answerMs = answerMs;
}

test.each(everySecond(0))("%s", { timeout: 120_000 }, async (_, schedule) => {
  const { answerMs = 0, gapMs = 0, withoutLooks } = schedule;
  await openAt(schedule);
  const { service, emulator } = world;
  const counts: number[] = [];
  const counted = async <I, T>(items: readonly I[], each: (item: I) => Promise<T>): Promise<T[]> => {
    const before = emulator.requests().length;
    const results = await Promise.all(items.map(each));
    counts.push(emulator.requests().length - before);
    return results;
  };
  const made = await counted(names, (name) => service.create({ name, ...SMALL, timeouts }));
  const large = await counted(made, (kept) => service.update(kept, { ...kept.inputs, ...LARGE }));
  await counted(large, (kept) => service.remove(kept));
  expect([...made, ...large].filter(({ failed }) => failed !== undefined)).toEqual([]);
  expect(emulator.ledger().map(({ event }) => event)).toHaveLength(300);
  expect(emulator.state().services).toEqual([]);
  expect(sentWithoutLook(emulator.requests(), answerMs + gapMs)).toEqual([]);
  const tooMany = counts.filter((count, at) => count > 2 * (withoutLooks[at] ?? 0));
  expect(tooMany, `${counts.join(", ")} requests`).toEqual([]);
});

/** Ways in which a call does not get through at first. */
const HELD_BACK: readonly Fault[] = [
  { kind: "status", status: 429 },
  { kind: "status", status: 503 },
  { kind: "lostBefore" },
  { kind: "status", status: 409, body: { code: "CONFLICT", message: "already being updated" } },
];

const OPERATIONS: readonly OperationName[] = [
  ...(["createVpc", "createPeering", "createService", "createReplicaSet", "resizeReplicaSet"] as const),
  ...(["resize", "setHA", "enablePooler", "setEnvironment", "renameService", "stop", "start"] as const),
  ...(["disablePooler", "updatePassword", "attachToVPC", "detachFromVPC"] as const),
  ...(["deleteReplicaSet", "deleteService", "deletePeering", "deleteVpc"] as const),
];

const CHANGES: readonly Values[] = [
  LARGE,
  { haReplicas: { replicaCount: 1 } },
  { poolerEnabled: true },
  { environment: "PROD" },
  { environment: "DEV" },
  { name: "renamed" },
  { paused: true },
  { paused: false, poolerEnabled: false },
  { password: "correct horse" },
];

test.each(everySecond(1))(
  "%s, where each call is held back once: all kinds come and go, each call right after its look",
  { timeout: 120_000 },
  async (_, schedule) => {
    await openAt(schedule);
    const { service, vpc, peering, readReplicaSet, emulator } = world;
    for (const [at, operation] of OPERATIONS.entries()) {
      // A create is not sent again unless the server has said that it did nothing.
      const ways = operation.startsWith("create") ? HELD_BACK.slice(0, 1) : HELD_BACK;
      emulator.faults.add({ ...(ways[at % ways.length] as Fault), operation });
    }
    const net = await done(vpc.create({ ...NET, timeouts }));
    const peer = await done(peering.create({ ...PEER, vpcId: net.id, timeouts }));
    let kept = await done(service.create({ name: "orders", ...SMALL, deletionProtection: false, timeouts }));
    const set = await done(readReplicaSet.create(setOf(kept, { timeouts })));
    const larger = await done(readReplicaSet.update(set, setOf(kept, { ...LARGE, timeouts })));
    for (const change of [...CHANGES, { vpcId: net.id }, { vpcId: undefined }]) {
      kept = await done(service.update(kept, { ...kept.inputs, ...change }));
    }
    await readReplicaSet.remove(larger);
    await service.removePending(kept);
    await peering.removePending(peer);
    await vpc.removePending(net);
    expect(emulator.state()).toMatchObject({ services: [], vpcs: [], peerings: [], replicaSets: [] });
    expect(sentWithoutLook(emulator.requests(), (schedule.answerMs ?? 0) + LONGEST_GAP_MS)).toEqual([]);
    expect(OPERATIONS.filter((operation) => world.requestsOf(operation).length < 2)).toEqual([]);
  },
);

/** The calls that did not follow their last look. */
function sentWithoutLook(requests: readonly RequestRecord[], slackMs: number): string[] {
  const readMs = new Map<string, number>();
  return requests.flatMap(({ method, operation = "", params, at, status = 0 }) => {
    const of = (read: string): string => (read === "getService" ? `${read} ${params["service_id"]}` : read);
    if (method === "GET") {
      if (status < 300) readMs.set(of(operation), at);
      return [];
    }
    const { reads, oldestMs } = LOOKS[operation] ?? STEP;
    return reads.flatMap((read) => {
      const newest = Math.max(...read.split(" or ").map((one) => readMs.get(of(one)) ?? Number.NEGATIVE_INFINITY));
      const ageMs = at - newest - slackMs * reads.length;
      return ageMs <= oldestMs ? [] : [`${operation}: ${ageMs} ms after ${read}`];
    });
  });
}
