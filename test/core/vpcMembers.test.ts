// The delete of a VPC: nothing is asked while something may stay in it, and a VPC in which nothing is goes, whatever the
// lists say of it.

import { beforeEach, describe, expect, test } from "vitest";
import type { Kept } from "../support/world";
import {
  done,
  errorOf,
  fault,
  hideVpcsInLists,
  makeBystander,
  MINUTE_MS,
  NET,
  PEER,
  urn,
  useWorld,
  world,
} from "./scene";

const BUSY = { code: "CONFLICT", message: "busy: it is being deleted" };

let vpc: Kept;
useWorld({}, async () => {
  vpc = await world.vpc.create(NET);
  world.nextRun();
});

/** The VPC with this time for its delete. */
const within = (time: string): Kept => ({ ...vpc, outputs: { ...vpc.outputs, timeouts: { delete: time } } });

describe("a server that detaches what is in a VPC", () => {
  let service: string;
  beforeEach(() => {
    world.emulator.settings.switches.deleteVpcInUse = "cascade";
    service = world.emulator.mutate.createService({ name: "orders", vpcId: vpc.id }).id;
  });

  test("a VPC is not deleted while a service or a peering stays in it, and both are named", async () => {
    const peering = world.emulator.mutate.createPeering(vpc.id, PEER);
    const refusal = errorOf(world.vpc.remove(vpc));
    await world.clock.sleep(500);
    for (const id of [service, peering.id]) expect(world.progress.join("\n")).toContain(id);
    expect(await world.secondsOf(() => refusal)).toBeLessThan(45);
    expect((await refusal).message).toMatch(/in use; nothing was deleted.*service "orders".*a peering/);
    expect(world.calls()).toEqual([]);
    expect(world.emulator.state()).toMatchObject({ vpcs: [{}], services: [{ vpcId: vpc.id }], peerings: [{}] });
  });

  const mutate = () => world.emulator.mutate;
  const faults = () => world.emulator.faults;
  const noJson = { kind: "status", status: 200, body: "OK", headers: { "Content-Type": "text/plain" } } as const;
  const busy = { kind: "status", status: 409 } as const;
  test.each<[string, () => unknown]>([
    ["while a service in it is UPGRADING", () => mutate().service(service, { status: "UPGRADING" })],
    ["while a service in it is UNSTABLE", () => mutate().service(service, { status: "UNSTABLE" })],
    ["after listServices was no JSON once", () => faults().add({ ...noJson, operation: "listServices" })],
    ["after listPeerings was no JSON once", () => faults().add({ ...noJson, operation: "listPeerings" })],
    ["after listServices was busy once", () => faults().add({ ...busy, operation: "listServices" })],
    ["after listPeerings was busy once", () => faults().add({ ...busy, operation: "listPeerings" })],
    [
      "after one list that does not show where the service is",
      () => {
        mutate().service(service, { wire: { vpc_endpoint: null, vpcEndpoint: null } });
        world.onEffect(() => {
          if (world.requestsOf("listServices").length === 0) return;
          const endpoint = { vpc_id: vpc.id };
          mutate().service(service, { wire: { vpc_endpoint: endpoint, vpcEndpoint: endpoint } });
        });
      },
    ],
    ["while a service in it cannot be read", () => mutate().service(service, { wire: { status: 5 } })],
    [
      "while a peering in it cannot be read",
      () => {
        mutate().deleteService(service);
        mutate().peering(mutate().createPeering(vpc.id, PEER).id, { wire: { peer_vpc_id: 5 } });
      },
    ],
  ])("a VPC is not deleted %s", async (_when, prepare) => {
    prepare();
    const before = world.emulator.state().services.map(({ vpcId }) => vpcId);
    expect((await errorOf(world.vpc.remove(within("3m")))).message).toContain("in use");
    expect(world.calls()).toEqual([]);
    expect(world.emulator.state().services.map(({ vpcId }) => vpcId)).toEqual(before);
  });
});

test.each(["DELETED", "listed"] as const)(
  "a VPC goes while the server shows a deleted service of its region (%s)",
  async (deletedServices) => {
    world.emulator.settings.switches.deletedServices = deletedServices;
    for (const vpcId of [vpc.id, undefined])
      await world.service.remove(
        await done(world.service.create({ name: "orders", regionCode: NET.regionCode, vpcId })),
      );
    world.nextRun();
    await world.vpc.remove(vpc);
    expect(world.calls()).toEqual(["deleteVpc"]);
  },
);

test.each([
  { perSecond: 2, burst: 2 },
  { perSecond: 4, burst: 2 },
  { perSecond: 9, burst: 9 },
])("a VPC goes beside nine services of its region whose rows do not show where they are, at %o", async (rateLimit) => {
  for (const name of "abcdefghi") world.emulator.mutate.createService({ name, regionCode: NET.regionCode });
  hideVpcsInLists();
  world.emulator.settings.rateLimit = rateLimit;
  expect(await world.secondsOf(() => world.vpc.remove(vpc))).toBeLessThan(60);
  expect(world.calls().filter((call) => call === "deleteVpc").length).toBeGreaterThan(0);
  expect(world.emulator.state().vpcs).toEqual([]);
});

describe("a service that may be in the VPC", () => {
  beforeEach(() => {
    world.emulator.settings.switches.deleteVpcInUse = "cascade";
  });
  const removal = (): Promise<Error> => errorOf(world.vpc.remove(within("20m")));
  const made = (fields: object = {}): string =>
    world.emulator.mutate.createService({ name: "orders", regionCode: NET.regionCode, ...fields }).id;

  const hideVpc = (): unknown => {
    const members = { "vpc_endpoint.vpc_id": "absent", "vpcEndpoint.vpc_id": "absent" } as const;
    return fault({ kind: "members", members, times: Infinity });
  };
  const vpcOf = (): string => vpc.id;
  const otherVpc = (): string => world.emulator.mutate.createVpc({ ...NET, name: "other", cidr: "10.77.0.0/24" }).id;
  const brownOut = (ms: number) => (): unknown => fault({ kind: "brownout", ms, times: Infinity });

  test.each<[string, RegExp, (id: string) => unknown]>([
    ["because it shows an address in a VPC, and not which VPC", /does not show its VPC/, hideVpc],
    ["because lists do not show it, although a read of the service does", /./, hideVpcsInLists],
    [
      "because lists do not show its VPC, and a read of the service finds nothing for a moment",
      /./,
      () => [hideVpcsInLists(), fault({ kind: "status", status: 404, operation: "getService", times: 3 })],
    ],
    ["although the server shows nothing for five seconds", /./, brownOut(5_000)],
    [
      "because lists do not show it, and it is unstable",
      /./,
      (id) => [hideVpcsInLists(), world.emulator.mutate.service(id, { status: "UNSTABLE" })],
    ],
  ])("a VPC is not deleted while a service may be in it, %s", async (_, words, hide) => {
    hide(made({ vpcId: vpc.id }));
    const { message } = await removal();
    expect(message).toMatch(/(?:in use|nothing was deleted).*service "orders"/);
    expect(message).toMatch(words);
    expect(world.calls()).toEqual([]);
  });

  test.each([2, 3])(
    "a VPC is not deleted by a list of services that was old after %i refusals for the rate",
    async (refusals) => {
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
    },
  );

  test.each([5, 6, 7])(
    "a VPC is not deleted by a read of look %i of a service that entered it since, without a sign in its row",
    async (look) => {
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
        world.emulator.mutate.service(entered, { vpcId: vpc.id });
      });
      await world.vpc.remove(within("20m")).catch(() => undefined);
      const detached = world.emulator
        .ledger()
        .filter(({ operation, id }) => operation === "deleteVpc" && id === entered);
      expect(detached).toEqual([]);
    },
  );

  test("a VPC is not deleted once a service is attached that was seen elsewhere, and lists show neither", async () => {
    const id = made();
    hideVpcsInLists();
    const act = (): unknown => world.emulator.mutate.service(id, { vpcId: vpc.id });
    fault({ kind: "meanwhile", operation: "listServices", skip: 2, act });
    expect((await removal()).message).toMatch(/nothing was deleted.*service "orders"/);
    expect(world.calls()).toEqual([]);
  });

  test.each([
    ["is told of a peering that came meanwhile", true],
    ["is deleted where nothing came", false],
  ])(
    "each of many services whose VPC no list shows takes one read in every look, and the VPC %s",
    async (_how, comes) => {
      const count = 30;
      for (let index = 0; index < count; index += 1) made({ name: `s${index}` });
      world.told.answerMs = 100;
      // Each is read in two looks before the turn of the delete, and once in it.
      const act = (): unknown => comes && world.emulator.mutate.createPeering(vpc.id, PEER);
      fault({ kind: "meanwhile", operation: "getService", skip: 3 * count - 1, act });
      const outcome: unknown = await world.vpc.remove(vpc).catch((error: unknown) => error);
      expect(String(outcome)).toMatch(comes ? /in use; nothing was deleted.*a peering/ : /undefined/);
      expect(world.calls()).toEqual(comes ? [] : ["deleteVpc"]);
      const looks = world.requestsOf("getService").length / count;
      // A refusal is final after several looks.
      expect(comes ? Number.isInteger(looks) && looks > 3 : looks).toBe(comes || 3);
    },
  );

  const closed = { wire: { endpoint: null } };
  test.each<[string, RegExp, object]>([
    ["its change has not ended", /may be about to enter it/, { status: "CONFIGURING" }],
    ["it has a status that nobody knows", /may be about to enter it/, { status: "MIGRATING" }],
    ["it is being deleted and shows no address", /does not show its VPC/, { status: "DELETING", ...closed }],
    ["it is unstable and shows no address", /does not show its VPC/, { status: "UNSTABLE", ...closed }],
    ["it is paused and shows no address", /does not show its VPC/, { status: "PAUSED", ...closed }],
    ["it shows no address", /does not show its VPC/, closed],
  ])("the delete of a VPC waits five minutes for a service because %s, and names it", async (_how, words, fields) => {
    world.emulator.mutate.service(made(), fields);
    const { seconds, result } = await world.timed(removal);
    expect(seconds).toBeGreaterThan(300);
    expect(result.message).toMatch(/nothing was deleted.*service "orders"/);
    expect(result.message).toMatch(words);
    expect(world.calls()).toEqual([]);
  });

  const LACKED = "which the list of services lacks although it answers by its id";
  test.each<[string, place: () => string, fields: object, told: string[], sent: string[]]>([
    ["answers by its id while no list shows it keeps its VPC", vpcOf, {}, ['service "orders"', LACKED], []],
    ["is DELETING and in no list any more keeps its VPC", vpcOf, { status: "DELETING" }, ['service "orders"'], []],
    [
      "is DELETING and in no list any more does not delay the delete of another VPC",
      otherVpc,
      { status: "DELETING" },
      [],
      ["deleteVpc"],
    ],
  ])("a service that the state has, and that %s", async (_what, place, fields, told, sent) => {
    const args = { name: "orders", regionCode: NET.regionCode, vpcId: place(), ...urn("db") };
    const kept = await world.service.create(args);
    world.calls();
    world.restart();
    world.service.preview(kept, args);
    world.emulator.mutate.service(kept.id, fields);
    fault({ kind: "garbage", body: [], operation: "listServices", times: Infinity });
    const [end] = await Promise.allSettled([world.vpc.removePending(within("20m"))]);
    const message = end.status === "rejected" ? String(end.reason) : "";
    expect([told.filter((words) => !message.includes(words)), world.calls()]).toEqual([[], sent]);
  });

  test.each(["service", "peering"] as const)(
    "a %s that the state has, and that neither its list nor its id shows for some seconds, keeps its VPC",
    async (kind) => {
      const args = {
        service: { name: "orders", regionCode: NET.regionCode, vpcId: vpc.id, ...urn("db") },
        peering: { ...PEER, vpcId: vpc.id, ...urn("db") },
      }[kind];
      const kept = await world[kind].create(args);
      world.calls();
      world.restart();
      world[kind].preview(kept, args);
      const untilMs = world.clock.now() + 10_000;
      const hides = { times: Infinity, match: (): boolean => world.clock.now() < untilMs };
      const [list, get] =
        kind === "service" ? (["listServices", "getService"] as const) : (["listPeerings", "getPeering"] as const);
      fault({ kind: "garbage", body: [], operation: list, ...hides });
      fault({ kind: "status", status: 404, operation: get, ...hides });
      const { message } = await errorOf(world.vpc.removePending(within("20m")));
      expect(message).toContain(`nothing was deleted`);
      expect(message).toContain(kept.id);
      expect(world.calls()).toEqual([]);
    },
  );

  const open = { wire: { endpoint: { host: "orders.example.com", port: 5432 } } };
  test.each([
    ["is in another region", { regionCode: "eu-west-1", status: "UPGRADING" }],
    ["is being deleted at a public address", { status: "DELETING", ...open }],
    ["is unstable at a public address", { status: "UNSTABLE", ...open }],
  ])("a service that %s does not delay the delete of a VPC", async (_how, fields) => {
    world.emulator.mutate.service(made(), fields);
    await world.vpc.remove(vpc);
    expect(world.calls()).toEqual(["deleteVpc"]);
  });
});

test("the delete of a VPC that is gone already, or that goes while it is busy, succeeds", async () => {
  makeBystander("vpc");
  fault({ kind: "status", status: 409, operation: "deleteVpc", body: BUSY });
  world.onEffect(() => {
    const isAsked = world.emulator.requests().some(({ operation }) => operation === "deleteVpc");
    if (isAsked && world.emulator.state().vpcs.length > 1) world.emulator.mutate.deleteVpc(vpc.id);
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
  const untilMs = world.clock.now() + ms;
  const match = (): boolean => world.clock.now() < untilMs;
  for (const operation of ["getVpc", "listPeerings"] as const) {
    fault({ kind: "status", status: 404, operation, times: Infinity, match });
  }
  await world.vpc.remove({ ...vpc, outputs: { ...vpc.outputs, ...more } });
  expect(world.calls()).toEqual(["deleteVpc"]);
});

test("the delete of a VPC waits some minutes for members that no list shows any more", async () => {
  const inUse = { status: 409, body: { code: "CONFLICT", message: "the VPC is in use" } };
  const untilMs = world.clock.now() + 4 * MINUTE_MS;
  const match = ({ at }: { at: number }): boolean => at < untilMs;
  fault({ kind: "status", ...inUse, operation: "deleteVpc", times: Infinity, match });
  await world.vpc.remove(vpc);
  expect(world.emulator.state().vpcs).toEqual([]);
});

test.each(
  (["listServices", "listPeerings"] as const).flatMap((operation) =>
    [403, 404, 405, 501].map((status) => [operation, status] as const),
  ),
)("a VPC whose %s always answers %i is not deleted", async (operation, status) => {
  fault({ kind: "status", status, operation, times: Infinity });
  await expect(world.vpc.remove(vpc)).rejects.toThrow(`${operation} (`);
  expect(world.calls()).toEqual([]);
});

test("a service that cannot be read and shows that it is elsewhere keeps no VPC; one that does not show where, does", async () => {
  const { id } = world.emulator.mutate.createService({ name: "somebody-elses" });
  world.emulator.mutate.service(id, { wire: { status: 5, vpc_endpoint: "?" } });
  await expect(world.vpc.remove(vpc)).rejects.toThrow(
    /an entry that cannot be read and may be in it, "somebody-elses"/,
  );
  expect(world.calls()).toEqual([]);
  world.restart();
  for (const endpoint of [null, { host: "10.9.9.9", port: 5432, vpc_id: "1" }]) {
    world.emulator.mutate.service(id, { wire: { status: 5, vpc_endpoint: endpoint } });
    await world.vpc.remove(vpc);
    expect(world.calls()).toEqual(["deleteVpc"]);
    world.restart();
    vpc = await world.vpc.create(NET);
    world.calls();
  }
});

test("the delete of a VPC whose list of services always answers 500 fails with that reason, and sends nothing", async () => {
  fault({ kind: "status", status: 500, operation: "listServices", times: Infinity });
  await expect(world.vpc.remove(within("3m"))).rejects.toThrow(
    /after 3 m.* the lists of its contents could not be read \(.*500/,
  );
  expect(world.calls()).toEqual([]);
});
