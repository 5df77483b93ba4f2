// The delete of a VPC, on a server that detaches or deletes what is in it: nothing is asked while something may stay in it. What
// proves that it is empty is new, and read in an order in which nothing can enter unseen. A VPC in which nothing is goes,
// whatever the lists say of it.

import { expect, test } from "vitest";
import type { OperationName } from "../../emulator/index";
import { makeServices } from "../laws/absence";
import type { Kept } from "../support/world";
import {
  done,
  earlier,
  errorOf,
  fault,
  hideVpcsInLists,
  makeBystander,
  MINUTE_MS,
  NET,
  open,
  PEER,
  urn,
  useWorld,
  world,
} from "./scene";

let vpc: Kept;
async function makeVpc(): Promise<void> {
  world.emulator.settings.switches.deleteVpcInUse = "cascade";
  vpc = await earlier(world.vpc.create(NET));
}
useWorld({}, makeVpc);

/** The VPC with this time for its delete. */
const within = (minutes: number): Kept => ({
  ...vpc,
  outputs: { ...vpc.outputs, timeouts: { delete: `${minutes}m` } },
});

const mutate = () => world.emulator.mutate;
const made = (fields: object = {}): string =>
  mutate().createService({ name: "orders", regionCode: NET.regionCode, ...fields }).id;
const inIt = (fields: object = {}): string => {
  const id = made({ vpcId: vpc.id });
  mutate().service(id, fields);
  return id;
};
const otherVpc = (): string => mutate().createVpc({ ...NET, name: "other", cidr: "10.77.0.0/24" }).id;

/** What the state and the program have in the VPC. */
async function declared(kind: "service" | "peering", vpcId = vpc.id): Promise<string> {
  const own = { service: { name: "orders", regionCode: NET.regionCode }, peering: PEER }[kind];
  const args = { ...own, vpcId, ...urn("db") };
  const kept = await earlier(done(world[kind].create(args)));
  world[kind].preview(kept, args);
  return kept.id;
}

/** The time until then. */
function forMs(ms: number): { times: number; match: (request: { at: number }) => boolean } {
  const untilMs = world.clock.now() + ms;
  return { times: Infinity, match: ({ at }) => at < untilMs };
}

const once = (operation: OperationName, how: "no JSON" | "busy") => (): unknown => {
  inIt();
  return how === "busy"
    ? fault({ kind: "status", status: 409, operation })
    : fault({ kind: "status", status: 200, body: "OK", headers: { "Content-Type": "text/plain" }, operation });
};
const hideVpc = (): unknown => {
  const members = { "vpc_endpoint.vpc_id": "absent", "vpcEndpoint.vpc_id": "absent" } as const;
  return fault({ kind: "members", members, times: Infinity });
};
const OUTSIDE = {
  vpc_endpoint: "null",
  vpcEndpoint: "null",
  endpoint: { value: { host: "orders.example.com", port: 5432 } },
} as const;

/** Neither its list nor its id shows it for some seconds. */
async function hidden(kind: "service" | "peering"): Promise<void> {
  await declared(kind);
  const [list, get] =
    kind === "service" ? (["listServices", "getService"] as const) : (["listPeerings", "getPeering"] as const);
  fault({ kind: "garbage", body: [], operation: list, ...forMs(10_000) });
  fault({ kind: "status", status: 404, operation: get, ...forMs(10_000) });
}

async function unlisted(kind: "service" | "peering", times404 = 0): Promise<void> {
  fault({ kind: "brownout", ids: [await declared(kind)], in: "lists" });
  if (times404 > 0) fault({ kind: "status", status: 404, operation: "getService", times: times404 });
}

/** What happens at the nth list of this kind. */
function atList(operation: OperationName, act: (nth: number) => unknown): void {
  let lists = 0;
  world.onRequest((request) => void (request.operation === operation && act((lists += 1))));
}

function oldValues(ms: number): void {
  const id = made();
  let [isIn, oldMs] = [false, Infinity];
  atList("listServices", (nth) => {
    if (nth === 3) isIn = mutate().service(id, { vpcId: vpc.id }).vpcId === vpc.id;
    if (nth === 4) oldMs = world.clock.now();
  });
  const match = ({ at }: { at: number }): boolean => isIn && at >= oldMs && at < oldMs + ms;
  fault({ kind: "members", members: OUTSIDE, ids: [id], times: Infinity, match });
}

interface Reason {
  prepare: () => unknown;
  says?: RegExp;
  /** How long the delete takes. */
  seconds?: readonly [least: number, most: number];
  minutes?: number;
}

const ORDERS = /(?:in use|nothing was deleted).*service "orders"/;
/** For five minutes. */
const mayEnter = (fields: object, says: RegExp): Reason => ({
  prepare: () => mutate().service(made(), fields),
  says: new RegExp(`nothing was deleted.*service "orders".*${says.source}`),
  seconds: [300, Infinity],
});
const ENTERS = /may be about to enter it/;
const UNSHOWN = /does not show its VPC/;
const closed = { wire: { endpoint: null } };

/** A reason for each of the values. */
const forEach = <T>(values: readonly T[], row: (value: T) => [string, Reason]): Record<string, Reason> =>
  Object.fromEntries(values.map(row));

const REASONS: Record<string, Reason> = {
  "while a service in it is UPGRADING": { prepare: () => inIt({ status: "UPGRADING" }), says: /in use/ },
  "while a service in it is UNSTABLE": { prepare: () => inIt({ status: "UNSTABLE" }), says: /in use/ },
  "after listServices was no JSON once": { prepare: once("listServices", "no JSON"), says: /in use/ },
  "after listPeerings was no JSON once": { prepare: once("listPeerings", "no JSON"), says: /in use/ },
  "after listServices was busy once": { prepare: once("listServices", "busy"), says: /in use/ },
  "after listPeerings was busy once": { prepare: once("listPeerings", "busy"), says: /in use/ },
  "after one list that does not show where the service is": {
    prepare: () => {
      const id = inIt({ wire: { vpc_endpoint: null, vpcEndpoint: null } });
      world.onEffect(() => {
        if (world.requestsOf("listServices").length === 0) return;
        const endpoint = { vpc_id: vpc.id };
        mutate().service(id, { wire: { vpc_endpoint: endpoint, vpcEndpoint: endpoint } });
      });
    },
    says: /in use/,
  },
  "while a service in it cannot be read": { prepare: () => inIt({ wire: { status: 5 } }), says: /in use/, minutes: 3 },
  "while a peering in it cannot be read": {
    prepare: () => mutate().peering(mutate().createPeering(vpc.id, PEER).id, { wire: { peer_vpc_id: 5 } }),
    says: /in use/,
    minutes: 3,
  },
  "while what cannot be read does not show where it is": {
    prepare: () => made({ name: "somebody-elses", wire: { status: 5, vpc_endpoint: "?" } }),
    says: /an entry that cannot be read and may be in it, "somebody-elses"/,
  },
  "while a service may be in it that shows an address in a VPC, and not which one": {
    prepare: () => [inIt(), hideVpc()],
    says: UNSHOWN,
  },
  "while lists do not show the service in it, although a read of that does": {
    prepare: () => [inIt(), hideVpcsInLists()],
    says: ORDERS,
  },
  "while lists do not show its VPC, and a read of the service finds nothing for a moment": {
    prepare: () => {
      inIt();
      hideVpcsInLists();
      fault({ kind: "status", status: 404, operation: "getService", times: 3 });
    },
    says: ORDERS,
  },
  "while a service is in it, although the server shows nothing for five seconds": {
    prepare: () => [inIt(), fault({ kind: "brownout", ms: 5_000, times: Infinity })],
    says: ORDERS,
  },
  "while lists do not show the service in it, which is unstable": {
    prepare: () => [inIt({ status: "UNSTABLE" }), hideVpcsInLists()],
    says: ORDERS,
  },
  "while a service is in it that one list shows and the next ones lack": {
    prepare: () => fault({ kind: "brownout", ids: [inIt()], operation: "listServices", skip: 1 }),
  },
  "while a service attaches to it whose row shows another region": {
    prepare: () => {
      inIt({ status: "UPGRADING" });
      const members = { vpc_endpoint: "absent", vpcEndpoint: "absent", region_code: { value: "eu-west-1" } } as const;
      fault({ kind: "members", members, in: "lists", times: Infinity });
    },
  },
  "while a service in it is DELETING: that deletion fails after a minute": {
    prepare: () => {
      const id = inIt({ wire: { status: "DELETING" } });
      void world.clock.sleep(MINUTE_MS).then(() => mutate().service(id, { wire: { status: "READY" } }));
    },
  },
  "where the list of services is cut: one on the second page is in it": {
    prepare: async () => {
      const own = await makeServices("a", "b", "c", "d");
      inIt();
      world.nextRun();
      for (const { kept, args } of own) world.service.preview(kept, args);
      fault({ kind: "cut", rows: 1 });
    },
  },
  "at once where a list says by a header that it goes on": {
    prepare: () => [made(), inIt(), fault({ kind: "cut", rows: 0, next: "header" })],
    seconds: [0, 30],
  },
  "once a service is attached that was seen elsewhere, and lists show neither": {
    prepare: () => {
      const id = made();
      hideVpcsInLists();
      const act = (): unknown => mutate().service(id, { vpcId: vpc.id });
      fault({ kind: "meanwhile", operation: "listServices", skip: 2, act });
    },
    says: /nothing was deleted.*service "orders"/,
  },
  "while the change of a service has not ended": mayEnter({ status: "CONFIGURING" }, ENTERS),
  "while a service has a status that nobody knows": mayEnter({ status: "MIGRATING" }, ENTERS),
  "while a service is being deleted and shows no address": mayEnter({ status: "DELETING", ...closed }, UNSHOWN),
  "while a service is unstable and shows no address": mayEnter({ status: "UNSTABLE", ...closed }, UNSHOWN),
  "while a service is paused and shows no address": mayEnter({ status: "PAUSED", ...closed }, UNSHOWN),
  "while a service shows no address": mayEnter(closed, UNSHOWN),
  "while a service of the state is DELETING and in no list any more": {
    prepare: async () => {
      mutate().service(await declared("service"), { status: "DELETING" });
      fault({ kind: "garbage", body: [], operation: "listServices", times: Infinity });
    },
    says: /service "orders"/,
  },
  "while neither its list nor its id shows a service of the state": {
    prepare: () => hidden("service"),
    says: /nothing was deleted/,
  },
  "while neither its list nor its id shows a peering of the state": {
    prepare: () => hidden("peering"),
    says: /nothing was deleted/,
  },
  ...forEach([0, 1, 3], (times) => [
    `while its id shows a service of the state, and no list does, after ${times} 404s`,
    {
      prepare: () => unlisted("service", times),
      says: /service "orders".*which the list of services lacks although it answers by its id/,
    },
  ]),
  "while its id shows a peering of the state, and no list does": {
    prepare: () => unlisted("peering"),
    says: /a peering with/,
  },
  ...forEach([2_000, 5_000], (ms) => [
    `while its row shows a service inside, whatever an own read of ${ms} ms ago says`,
    {
      prepare: () => fault({ kind: "members", members: OUTSIDE, in: "reads", ids: [inIt()], ...forMs(ms) }),
      says: /service "orders"/,
    },
  ]),
  ...forEach([300, 900], (ms) => [
    `by old values for ${ms} ms, after a look has found a service inside`,
    { prepare: () => oldValues(ms), says: /nothing was deleted/ },
  ]),
  ...forEach([5_000, 14_000], (ms) => [
    `where a service enters during a list of peerings that takes ${ms} ms`,
    {
      prepare: () => {
        let peerings = 0;
        world.onRequest(({ operation }) => {
          peerings += operation === "listPeerings" ? 1 : 0;
          world.told.answerMs = operation === "listPeerings" && peerings === 3 ? ms : 0;
          if (world.told.answerMs > 0) void world.clock.sleep(1_000).then(() => made({ vpcId: vpc.id }));
        });
      },
      says: /service "orders"/,
    },
  ]),
  "where the program declares an adoption of it during the look": {
    prepare: () => {
      const adopts = (): unknown => world.vpc.check({ ...NET, adoptId: vpc.id, ...urn("adopter") });
      atList("listServices", (nth) => nth === 3 && adopts());
    },
    says: /claimed/,
  },
  ...Object.fromEntries(
    (["listServices", "listPeerings"] as const).flatMap((operation) =>
      [403, 404, 405, 501].map((status) => [
        `where ${operation} always answers ${status}`,
        {
          prepare: () => fault({ kind: "status", status, operation, times: Infinity }),
          says: new RegExp(`${operation} \\(`),
        },
      ]),
    ),
  ),
  "where its list of services always answers 500": {
    prepare: () => fault({ kind: "status", status: 500, operation: "listServices", times: Infinity }),
    says: /after 3 m.* the lists of its contents could not be read \(.*500/,
    minutes: 3,
  },
};

test.each(Object.entries(REASONS))("a VPC is not deleted %s", async (_reason, row) => {
  const { prepare, says = /./, seconds: [least, most] = [0, Infinity], minutes = 20 } = row;
  await prepare();
  const { seconds, result } = await world.timed(() => errorOf(world.vpc.removePending(within(minutes))));
  expect(result.message).toMatch(says);
  expect([world.calls(), seconds >= least, seconds <= most]).toEqual([[], true, true]);
  expect(world.emulator.state().vpcs.map(({ id }) => id)).toContain(vpc.id);
});

test("a VPC is not deleted while a service or a peering stays in it, and both are named, in the row too", async () => {
  const ids = [inIt(), mutate().createPeering(vpc.id, PEER).id];
  const refusal = errorOf(world.vpc.remove(vpc));
  await world.clock.sleep(500);
  for (const id of ids) expect(world.progress.join("\n")).toContain(id);
  expect(await world.secondsOf(() => refusal)).toBeLessThan(45);
  expect((await refusal).message).toMatch(/in use; nothing was deleted.*service "orders".*a peering/);
  expect(world.calls()).toEqual([]);
  expect(world.emulator.state()).toMatchObject({ vpcs: [{}], services: [{ vpcId: vpc.id }], peerings: [{}] });
});

test.each([2, 3])("a VPC is not deleted by a list that was old after %i refusals for the rate", async (refusals) => {
  let [lists, left, ageMs, listMs] = [0, refusals, 0, 0];
  world.onRequest(({ operation }) => {
    const nowMs = world.clock.now();
    if (operation === "deleteVpc") ageMs = nowMs - listMs;
    if (operation === "listServices") [lists, listMs] = [lists + 1, nowMs];
  });
  // From the last look on, after the two that come before it.
  const match = (): boolean => lists >= 2 && left-- > 0;
  const rate = { status: 429, headers: { "retry-after": "1" }, operation: "listPeerings" } as const;
  fault({ kind: "status", ...rate, times: Infinity, match });
  await world.vpc.remove(vpc);
  expect([left < 0, ageMs <= 2_000]).toEqual([true, true]);
});

test.each([5, 6, 7])("a VPC is not deleted by a read of look %i of a service that entered it since", async (look) => {
  hideVpcsInLists();
  const members = { endpoint: "absent", connection_pooler: "absent" } as const;
  fault({ kind: "members", members, in: "lists", times: Infinity });
  for (let at = 0; at < 20; at += 1) made({ name: `s${at}` });
  world.emulator.settings.rateLimit = { perSecond: 2, burst: 2 };
  let lists = 0;
  let first: { id: string; atMs: number } | undefined;
  let entered: string | undefined;
  world.onRequest(({ operation, params }) => {
    const nowMs = world.clock.now();
    if (operation === "listServices") lists += 1;
    if (operation === "getService" && lists >= look) first ??= { id: String(params["service_id"]), atMs: nowMs };
    if (first === undefined || entered !== undefined || nowMs < first.atMs + 3_000) return;
    entered = first.id;
    mutate().service(entered, { vpcId: vpc.id });
  });
  await world.vpc.remove(within(20)).catch(() => undefined);
  const detached = world.emulator.ledger().filter(({ operation, id }) => operation === "deleteVpc" && id === entered);
  expect(detached).toEqual([]);
});

test.each([
  ["is told of a peering that came meanwhile", true],
  ["is deleted where nothing came", false],
])("each of many services whose VPC no list shows takes a read in every look, and it %s", async (_how, comes) => {
  const count = 30;
  for (let index = 0; index < count; index += 1) made({ name: `s${index}` });
  world.told.answerMs = 100;
  // Each is read in two looks before the turn of the delete, and once in it.
  const act = (): unknown => comes && mutate().createPeering(vpc.id, PEER);
  fault({ kind: "meanwhile", operation: "getService", skip: 3 * count - 1, act });
  const outcome: unknown = await world.vpc.remove(vpc).catch((error: unknown) => error);
  expect(String(outcome)).toMatch(comes ? /in use; nothing was deleted.*a peering/ : /undefined/);
  expect(world.calls()).toEqual(comes ? [] : ["deleteVpc"]);
  const looks = world.requestsOf("getService").length / count;
  // A refusal is final after several looks.
  expect(comes ? Number.isInteger(looks) && looks > 3 : looks).toBe(comes || 3);
});

/** Of services in another VPC, rows show neither VPC nor address. */
function inAnother(count: number): void {
  hideVpcsInLists();
  const vpcId = otherVpc();
  for (let at = 0; at < count; at += 1) made({ name: `s${at}`, vpcId });
}
const atPublic = { wire: { endpoint: { host: "orders.example.com", port: 5432 } } };

test.each<[string, seconds: number, () => unknown]>([
  [
    "45 services whose rows do not show where they are, at 100 ms for each answer",
    60,
    () => {
      inAnother(45);
      world.told.answerMs = 100;
    },
  ],
  [
    "six of them, at one request per second",
    120,
    async () => {
      await open({}, { maxRequestsPerSecond: "1" });
      await makeVpc();
      inAnother(6);
    },
  ],
  ...[
    { perSecond: 2, burst: 2 },
    { perSecond: 4, burst: 2 },
    { perSecond: 9, burst: 9 },
  ].map((rateLimit): [string, number, () => unknown] => [
    `nine of them in no VPC, at ${JSON.stringify(rateLimit)}`,
    60,
    () => {
      for (const name of "abcdefghi") made({ name });
      hideVpcsInLists();
      world.emulator.settings.rateLimit = rateLimit;
    },
  ]),
  [
    "one that is paused in another region, at 2.5 s for each answer",
    120,
    () => {
      const id = made({ regionCode: "eu-central-1" });
      mutate().service(id, { status: "PAUSED" });
      const members = { endpoint: "absent", vpc_endpoint: "absent", vpcEndpoint: "absent" } as const;
      fault({ kind: "members", members, ids: [id], times: Infinity });
      world.told.answerMs = 2_500;
    },
  ],
  [
    "one that is DELETING in another VPC, and in no list any more",
    60,
    async () => {
      mutate().service(await declared("service", otherVpc()), { status: "DELETING" });
      fault({ kind: "garbage", body: [], operation: "listServices", times: Infinity });
    },
  ],
  [
    "one that changes elsewhere",
    60,
    () => mutate().service(made({ regionCode: "eu-west-1" }), { status: "UPGRADING" }),
  ],
  ["one that is DELETING at a public address", 60, () => mutate().service(made(), { status: "DELETING", ...atPublic })],
  ["one that is unstable at a public address", 60, () => mutate().service(made(), { status: "UNSTABLE", ...atPublic })],
  ...[null, { host: "10.9.9.9", port: 5432, vpc_id: "1" }].map((endpoint): [string, number, () => unknown] => [
    `one that cannot be read, and shows ${JSON.stringify(endpoint)}`,
    60,
    () => mutate().service(made(), { wire: { status: 5, vpc_endpoint: endpoint } }),
  ]),
  ...(["DELETED", "listed"] as const).map((shown): [string, number, () => unknown] => [
    `two that were deleted, and are still shown (${shown})`,
    60,
    async () => {
      world.emulator.settings.switches.deletedServices = shown;
      for (const vpcId of [vpc.id, undefined]) {
        const args = { name: "orders", regionCode: NET.regionCode, vpcId };
        await world.service.remove(await done(world.service.create(args)));
      }
      world.nextRun();
    },
  ]),
])("a VPC goes soon beside %s", async (_what, most, prepare) => {
  await prepare();
  expect(await world.secondsOf(() => world.vpc.removePending(vpc))).toBeLessThan(most);
  expect(new Set(world.calls())).toEqual(new Set(["deleteVpc"]));
  expect(world.emulator.state().vpcs.map(({ id }) => id)).not.toContain(vpc.id);
});

test("the delete of a VPC that is gone already, or that goes while it is busy, succeeds", async () => {
  makeBystander("vpc");
  const body = { code: "CONFLICT", message: "busy: it is being deleted" };
  fault({ kind: "status", status: 409, operation: "deleteVpc", body });
  world.onEffect(() => {
    const isAsked = world.emulator.requests().some(({ operation }) => operation === "deleteVpc");
    if (isAsked && world.emulator.state().vpcs.length > 1) mutate().deleteVpc(vpc.id);
  });
  await world.vpc.remove(vpc);
  expect(world.emulator.state().vpcs).toMatchObject([{ name: "bystander" }]);
  world.nextRun();
  await world.vpc.remove(vpc);
  expect(world.calls()).toEqual([]);
});

test.each([
  ["only the list shows for a moment", 5_000, {}],
  ["no run has read yet, and only the list shows for longer,", MINUTE_MS, { __unseenUntil: 9e15 }],
])("a VPC that %s is deleted once its own read shows it", async (_how, ms, more) => {
  for (const operation of ["getVpc", "listPeerings"] as const)
    fault({ kind: "status", status: 404, operation, ...forMs(ms) });
  await world.vpc.remove({ ...vpc, outputs: { ...vpc.outputs, ...more } });
  expect(world.calls()).toEqual(["deleteVpc"]);
});

test("the delete of a VPC waits some minutes for members that no list shows any more", async () => {
  const body = { code: "CONFLICT", message: "the VPC is in use" };
  fault({ kind: "status", status: 409, body, operation: "deleteVpc", ...forMs(4 * MINUTE_MS) });
  await world.vpc.remove(vpc);
  expect(world.emulator.state().vpcs).toEqual([]);
});
