// Stale and odd answers of every kind, one among good ones, an old value that comes back, and a refusal that is sent as a
// success: nothing of it ends a wait early, fails it, or shows up as drift.

import { expect, test } from "vitest";
import type { EmulatorOptions, OperationName } from "../../emulator/index";
import { httpClientFor } from "../emulator/support/httpClient";
import { textLike } from "../support/matchers";
import type { Kept } from "../support/world";
import {
  ALL,
  changedInputs,
  done,
  earlier,
  fault,
  LARGE,
  makeBystander,
  NET,
  open,
  refreshed,
  setOf,
  SMALL,
  urn,
  useWorld,
  world,
} from "./scene";

useWorld();

const SERVERS: Record<string, EmulatorOptions> = {
  "nulls in place of what is absent": { switches: { nullFields: true } },
  "fields of the future": { switches: { unknownFields: true } },
  "status words in small letters": { switches: { statusCase: "lower" } },
  "no word of replicas while there are none": { switches: { omitZeroHa: true } },
  "only the old spelling of vpc_endpoint": { switches: { vpcEndpointSpelling: "vpcEndpoint" } },
  "only the new spelling of vpc_endpoint": { switches: { vpcEndpointSpelling: "vpc_endpoint" } },
  "an empty endpoint inside a VPC": { switches: { endpointInVpc: "empty" } },
  "404s after a VPC change": { switches: { endpointGapReads: 3 } },
  "404s after a create": { notFoundAfterCreate: { reads: 5 } },
  "404s after a create, for a minute": { notFoundAfterCreate: { ms: 60_000 } },
  "lists that lag behind": { listLag: { ms: 30_000, reads: 3 } },
  "lists that lag and 404s": { listLag: { reads: 5 }, notFoundAfterCreate: { reads: 3 } },
  "old values for five reads": { stale: { reads: 5 } },
  "old values for a minute": { stale: { ms: 60_000 } },
  "old values that come back": { stale: { comesBack: 1 } },
  "everything at once": {
    switches: { nullFields: true, unknownFields: true, statusCase: "lower", omitZeroHa: true, endpointGapReads: 2 },
    stale: { reads: 5, comesBack: 1 },
    listLag: { reads: 4 },
    notFoundAfterCreate: { reads: 4 },
  },
};

test.each(Object.entries(SERVERS))("a server with %s: create, change, refresh, clear", async (_name, options) => {
  await open({ ...options, switches: { ...options.switches, busy: "allow" } });
  const net = await world.vpc.create(NET);
  const first = { ...ALL, vpcId: net.id };
  const service = await done(world.service.create(first));
  const readers = await done(world.readReplicaSet.create(setOf(service)));
  expect(await changedInputs(service, first)).toEqual([]);

  const second = { ...ALL, ...LARGE, haReplicas: { replicaCount: 0 }, poolerEnabled: false, paused: true };
  world.calls();
  const changed = await done(world.service.update(service, second));
  expect(world.calls()).toEqual(["resize", "setHA", "detachFromVPC", "disablePooler", "stop"]);
  expect(changed.outputs).toMatchObject(second);
  expect(await changedInputs(changed, second)).toEqual([]);

  await world.readReplicaSet.remove(readers);
  await world.service.remove(changed);
  await world.vpc.remove(net);
  expect(world.emulator.state()).toMatchObject({ services: [], vpcs: [], replicaSets: [] });
  expect(world.overlaps()).toEqual([]);
});

test.each(["UNSTABLE", "OPTIMIZING", "REBALANCING", ""])(
  'an update waits until the status "%s" has ended',
  async (word) => {
    const kept = await done(world.service.create(ALL));
    fault({ kind: "stuck", status: word, operation: "resize", ms: 90_000 });
    const next = await done(world.service.update(kept, { ...ALL, ...LARGE }));
    expect(next.outputs["status"]).toBe("READY");
    expect(world.calls().filter((call) => call === "resize")).toHaveLength(1);
  },
);

test("a refresh in the middle of a change compares later, and says so", async () => {
  const kept = await done(world.service.create(ALL));
  world.emulator.mutate.service(kept.id, { status: "UPGRADING", cpuMillis: 4000, vpcId: "7", poolerEnabled: false });
  const seen = await refreshed(kept);
  expect(world.service.preview(seen, ALL).properties).toEqual([]);
  expect(world.warnings.at(-1)).toContain("is UPGRADING: its settings are compared when that has finished");
  expect(seen.outputs["endpoint"]).toEqual(kept.outputs["endpoint"]);
  expect(seen.outputs).not.toHaveProperty("vpcId");
  world.emulator.mutate.service(kept.id, { status: "READY" });
  const later = await refreshed(seen);
  expect(world.service.preview(later, ALL).properties.toSorted()).toEqual(["cpuMillis", "poolerEnabled"]);
});

const timeouts = { create: "30s" };

async function createUnseen(): Promise<Kept> {
  Object.assign(world.emulator.settings, { notFoundAfterCreate: { ms: 100_000 }, listLag: { ms: 100_000 } });
  const kept = await world.service.create({ ...ALL, timeouts });
  expect(kept.failed).toContain("not visible yet");
  world.restart();
  return kept;
}

test("a refresh of an object that no read has shown concludes nothing until it could be seen", async () => {
  const kept = await createUnseen();
  await expect(world.service.refresh(kept)).rejects.toThrow("was created a moment ago and is not visible yet");
  const other = await world.service.create({ name: "other", timeouts });
  world.emulator.mutate.deleteService(other.id);
  await world.clock.sleep(3 * 60_000);
  const seen = await world.service.refresh(kept);
  expect(seen?.outputs).not.toHaveProperty("__unseenUntil");
  expect(await world.service.refresh(other)).toBeUndefined();
});

test("an update of an object that no read has shown waits until one shows it", async () => {
  const kept = await createUnseen();
  const whole = await done(world.service.update(kept, ALL));
  expect(whole.outputs).toMatchObject({ status: "READY" });
});

test("a delete of an object that no read has shown goes on until it could be seen, whatever answers 404", async () => {
  const kept = await createUnseen();
  fault({ kind: "status", status: 404, operation: "deleteService", times: Infinity });
  const removal = world.secondsOf(() => world.service.remove(kept));
  await world.clock.sleep(60_000);
  world.emulator.faults.clear();
  expect(await removal).toBeGreaterThan(60);
  await world.clock.sleep(60_000);
  expect(world.emulator.state().services).toEqual([]);
});

test("a delete of an object that never shows ends when it could have been seen", async () => {
  const kept = await createUnseen();
  makeBystander();
  world.emulator.mutate.deleteService(kept.id);
  const seconds = await world.secondsOf(() => world.service.remove(kept));
  expect([seconds > 80, seconds < 150]).toEqual([true, true]);
});

test.each<[string, Record<string, unknown>]>([
  ["no pooler", { connection_pooler: null }],
  ["no sizes", { resources: [] }],
  ["sizes without numbers", { resources: [{ id: "x" }] }],
  ["no replicas", { ha_replicas: null }],
  ["no tag", { metadata: null }],
  ["another name", { name: "somebody else's" }],
  ["no address", { endpoint: null }],
])("one answer with %s is no drift in a refresh, and no call, warning or failure in an update", async (_name, wire) => {
  const kept = await done(world.service.create(ALL));
  await spoilNextRead(kept, wire);
  expect(await changedInputs(kept, ALL)).toEqual([]);
  expect(world.service.preview(kept, ALL).changes).toBeUndefined();
  world.nextRun();
  await spoilNextRead(kept, wire);
  const next = await done(world.service.update(kept, { ...ALL, password: "correct horse" }));
  expect(world.calls()).toEqual(["updatePassword"]);
  expect(world.warnings.filter((line) => line.includes("outside Pulumi"))).toEqual([]);
  expect(next.outputs).toMatchObject(ALL);
});

test("an answer without the pooler is drift where it comes twice in a row", async () => {
  const kept = await done(world.service.create(ALL));
  world.emulator.mutate.service(kept.id, { wire: { connection_pooler: null } });
  const seen = await refreshed(kept);
  expect(world.warnings.at(-1)).toMatch(/: outside Pulumi, connectionPooler .* was removed; the refresh saves this$/);
  world.restart();
  expect(world.service.preview(seen, ALL)).toMatchObject({ changes: undefined, properties: ["poolerEnabled"] });
});

test("an old value that comes back is not the new one, even when it is what the program goes back to", async () => {
  Object.assign(world.emulator.settings.stale, { comesBack: 1 });
  world.emulator.settings.timings.resize = 3_000;
  const kept = await done(world.service.create(ALL));
  const there = await earlier(done(world.service.update(kept, { ...ALL, ...LARGE })));
  const back = await done(world.service.update(there, ALL));
  expect(world.calls()).toEqual(["resize"]);
  expect(back.outputs).toMatchObject(SMALL);
  expect(world.emulator.state().services).toMatchObject([{ ...SMALL, status: "READY" }]);
});

test("the row of a list that leaves the VPC out is neither planned from nor recorded while reads by the id answer 404", async () => {
  await open({ notFoundAfterCreate: { ms: 60_000 } });
  const net = await world.vpc.create(NET);
  const other = async (name: string): Promise<Kept> => done(world.service.create({ ...SMALL, name }));
  const others = [await other("b"), await other("c")] as const;
  world.nextRun();
  // Their waits keep the lists going.
  world.emulator.settings.timings.resize = 60_000;
  // An old answer comes back for three seconds.
  world.onRequest(({ path }) => {
    if (!path.endsWith("/updatePassword")) return;
    const id = path.split("/").at(-2) ?? "";
    world.emulator.mutate.service(id, { vpcId: undefined });
    void world.clock.sleep(3_000).then(() => world.emulator.mutate.service(id, { vpcId: net.id }));
  });
  const [made] = await Promise.all([
    world.service.create({ ...SMALL, name: "a", vpcId: net.id, password: "correct horse" }),
    ...others.map(async (one) => world.service.update(one, { ...LARGE, name: one.outputs["name"] })),
  ]);
  expect(made.outputs["vpcEndpoint"]).toMatchObject({ vpcId: net.id });
  expect(made.outputs).not.toHaveProperty("endpoint");
});

test("a new service is recorded with what its create was answered, whatever lists leave out of it", async () => {
  await open();
  const members = { resources: "absent", metadata: "absent", ha_replicas: "absent" } as const;
  fault({ kind: "members", members, in: "lists", times: Infinity });
  const names = ["a", "b", "c", "d"];
  const made = await Promise.all(names.map((name) => world.service.create({ name })));
  expect(made.map(({ outputs }) => outputs)).toMatchObject(names.map(() => ({ ...SMALL, environment: "DEV" })));
});

test("an update does not wait for an address that lists leave out, and a read by the id shows", async () => {
  const net = await world.vpc.create(NET);
  const names = ["a", "b"];
  const made = await Promise.all(
    names.map(async (name) => done(world.service.create({ ...SMALL, name, vpcId: net.id }))),
  );
  world.nextRun();
  const members = { vpc_endpoint: "absent", vpcEndpoint: "absent" } as const;
  fault({ kind: "members", members, in: "lists", times: Infinity });
  const seconds = await world.secondsOf(() =>
    Promise.all(made.map(async (kept) => done(world.service.update(kept, { ...kept.inputs, ...LARGE })))),
  );
  expect([seconds < 15, world.warnings.filter((line) => line.includes("endpoint"))]).toEqual([true, []]);
});

test("services that enter a VPC together have no public address in the state, which no row of the list shows any more", async () => {
  const net = await world.vpc.create(NET);
  const names = ["a", "b", "c"];
  const made = await earlier(Promise.all(names.map(async (name) => done(world.service.create({ ...SMALL, name })))));
  world.emulator.settings.timings.attach = 5_000;
  const moved = await Promise.all(
    made.map(async (kept) => done(world.service.update(kept, { ...kept.inputs, vpcId: net.id }))),
  );
  for (const { outputs } of moved) expect(outputs).not.toHaveProperty("endpoint");
});

/** Of every read by an id, for so long from a moment on. */
const missByIds = (fromMs: number, ms: number): unknown => {
  const match = ({ at }: { at: number }): boolean => at >= fromMs && at < fromMs + ms;
  return fault({ kind: "status", status: 404, operation: "getService", times: Infinity, match });
};
const makeThree = (): Promise<Kept[]> =>
  Promise.all(["a", "b", "c"].map(async (name) => done(world.service.create({ ...SMALL, name, ...urn(name) }))));

test("no public address is recorded after a move whose new address shows late, while reads by the id answer 404", async () => {
  const net = await world.vpc.create(NET);
  const made = await makeThree();
  world.nextRun();
  world.emulator.settings.timings.attach = 5_000;
  const lateMs = world.clock.now() + 13_000;
  const members = { "vpc_endpoint.host": "absent", "vpcEndpoint.host": "absent" } as const;
  const late = fault({ kind: "members", members, status: "READY", times: Infinity });
  world.onRequest(({ at }) => void (at >= lateMs && late.remove()));
  missByIds(lateMs, 2_000);
  const moved = made.map(async (kept) => done(world.service.update(kept, { ...kept.inputs, vpcId: net.id })));
  for (const { outputs } of await Promise.all(moved)) expect(outputs).not.toHaveProperty("endpoint");
});

test("a refresh records no public address of services that somebody moved, while reads by the id answer 404", async () => {
  const net = await done(world.vpc.create(NET));
  const made = await makeThree();
  for (const { id } of made) world.emulator.mutate.service(id, { vpcId: net.id });
  world.nextRun();
  missByIds(world.clock.now(), 3_000);
  const read = made.map(async (kept) => refreshed(kept));
  for (const { outputs } of await Promise.all(read)) expect(outputs).not.toHaveProperty("endpoint");
});

test("services whose move an earlier run began have no public address in the state either", async () => {
  const net = await world.vpc.create(NET);
  const names = ["a", "b", "c"];
  const made = await earlier(Promise.all(names.map(async (name) => done(world.service.create({ ...SMALL, name })))));
  fault({ kind: "stuck", status: "UPGRADING", operation: "attachToVPC", times: Infinity });
  const inputs = names.map((name) => ({ ...SMALL, name, vpcId: net.id }));
  const move = (all: readonly Kept[]): Promise<Kept[]> =>
    Promise.all(all.map(async (kept, at) => world.service.update(kept, inputs[at] ?? {})));
  const half = await move(made);
  expect(half.map(({ failed }) => failed !== undefined)).toEqual([true, true, true]);
  world.emulator.faults.clear();
  world.emulator.settle();
  world.nextRun();
  for (const { outputs, failed } of await move(half))
    expect([failed, "endpoint" in outputs]).toEqual([undefined, false]);
});

/** The next answer about the service shows this, and the ones after it show again what is there. */
async function spoilNextRead(kept: Kept, wire: Record<string, unknown>): Promise<void> {
  const { emulator } = world;
  const truth = await httpClientFor(emulator).ask(200, "GET", `/projects/${emulator.projectId}/services/${kept.id}`);
  world.emulator.mutate.service(kept.id, { wire });
  world.onRequest(({ method }) => {
    if (method !== "GET") return;
    world.onRequest(() => undefined);
    const restored = Object.fromEntries(Object.keys(wire).map((key) => [key, truth[key]]));
    world.emulator.mutate.service(kept.id, { wire: restored });
  });
}

const body = { code: "QUOTA_EXCEEDED", message: "no more CPU" };
const WORDS = /200 QUOTA_EXCEEDED no more CPU/;
const refuse = (operation: OperationName): void => {
  fault({ kind: "garbage", body, operation, times: Infinity });
};
const takes = (operation: OperationName): unknown => fault({ kind: "garbage", body, operation, commit: true });

test("a refusal of a change that is sent as a success is an error with its words, long before the deadline", async () => {
  const kept = await done(world.service.create(ALL));
  refuse("resize");
  refuse("updatePassword");
  const { seconds, result: next } = await world.timed(() => world.service.update(kept, { ...ALL, ...LARGE }));
  expect(seconds).toBeLessThan(6 * 60);
  expect(next.failed).toMatch(WORDS);
  expect(world.progress).toContainEqual(textLike(WORDS));
  expect(next.outputs).toMatchObject(SMALL);
  expect((await world.service.update(kept, { ...ALL, password: "correct horse" })).failed).toMatch(WORDS);
});

test("a page of a gateway with status 200 does not prove that a password is set", async () => {
  const kept = await done(world.service.create(ALL));
  fault({ kind: "html", status: 200, operation: "updatePassword" });
  const next = await done(world.service.update(kept, { ...ALL, password: "correct horse" }));
  expect(next.outputs["password"]).toBe("correct horse");
  expect(world.requestsOf("updatePassword").map(({ committed }) => committed)).toEqual([false, true]);
});

test("a change that takes effect although its answer has the words of a refusal is done, and a timeout quotes them", async () => {
  const kept = await done(world.service.create(ALL));
  takes("resize");
  const next = await done(world.service.update(kept, { ...ALL, ...LARGE }));
  expect(next.outputs).toMatchObject(LARGE);
  expect(world.requestsOf("resize")).toHaveLength(1);
  world.emulator.settings.timings.resize = Infinity;
  takes("resize");
  expect((await world.service.update(next, ALL)).failed).toMatch(/200 QUOTA_EXCEEDED.*not done after 45 m/);
});

test("a delete that is refused with status 200 is an error with its words, unless the object is gone", async () => {
  makeBystander();
  const kept = await done(world.service.create({ ...ALL, timeouts: { delete: "3m" } }));
  refuse("deleteService");
  await expect(world.service.remove(kept)).rejects.toThrow(WORDS);
  expect(world.progress).toContainEqual(textLike(WORDS));
  world.emulator.faults.clear();
  takes("deleteService");
  await world.service.remove(kept);
  expect(world.emulator.state().services).toMatchObject([{ name: "bystander" }]);
});

test.each([{ code: "OK", message: "password updated" }, { code: 200 }, { message: "done" }])(
  "the answer %j is no refusal",
  async (answer) => {
    const kept = await done(world.service.create(ALL));
    fault({ kind: "garbage", body: answer, operation: "updatePassword", commit: true });
    await done(world.service.update(kept, { ...ALL, password: "correct horse" }));
    expect(world.requestsOf("updatePassword")).toHaveLength(1);
  },
);

test("a service enters a VPC that lists show, while reads of it by its id answer 404", async () => {
  const { id } = await earlier(done(world.vpc.create(NET)));
  fault({ kind: "brownout", ids: [id], in: "reads" });
  const inVpc = { name: "orders", ...SMALL, regionCode: NET.regionCode, vpcId: id };
  expect((await done(world.service.create(inVpc))).outputs).toMatchObject({ vpcId: id });
});
