// What is missing and nobody has asked to delete: it counts as gone after half a minute, and only beside what is still there.

import { expect, test } from "vitest";
import {
  done,
  earlier,
  errorOf,
  fault,
  LARGE,
  makeBystander,
  MINUTE_MS,
  setOf,
  settings,
  SMALL,
  useWorld,
  world,
} from "./scene";
import { textWith } from "../support/matchers";
import { deleteByHand } from "../invariants/judge/truth";
import type { Kept } from "../support/world";

useWorld();

const create = (name: string): Promise<Kept> => done(world.service.create({ name, ...SMALL }));
const brownOut = (ms: number): void => void fault({ kind: "brownout", ms, times: Infinity });

async function three(): Promise<Kept[]> {
  const kept = [await create("one"), await create("two"), await create("three")];
  world.nextRun();
  return kept;
}

/** What a refresh of all says of each: its id, "gone" or the error. */
const outcomes = (all: readonly Kept[]): Promise<string[]> =>
  Promise.all(all.map((kept) => world.service.refresh(kept).then((seen) => seen?.id ?? "gone", String)));

test("a brown-out of ten seconds ends no update", async () => {
  const kept = await create("orders");
  brownOut(10_000);
  const next = await done(world.service.update(kept, { name: "orders", ...SMALL, poolerEnabled: true }));
  expect(world.calls()).toContain("enablePooler");
  expect(next.outputs["poolerEnabled"]).toBe(true);
});

test("a protected service that is gone is created again as its error says, also by a run that changes it too", async () => {
  await create("another");
  const kept = await done(world.service.create({ name: "orders", ...SMALL, deletionProtection: true }));
  world.emulator.mutate.deleteService(kept.id);
  world.nextRun();
  const refused = await errorOf(world.service.refresh(kept));
  expect(refused.hint).toContain('set `onMissing: "recreate"` and `deletionProtection: false`');
  const open = { name: "orders", ...LARGE, onMissing: "recreate", deletionProtection: false };
  const next = await world.service.update(kept, open);
  expect(next.failed).toContain("it is no longer there");
  expect(next.failed).not.toContain("exists");
  world.restart();
  expect(await world.service.refresh(next)).toBeUndefined();
});

test("the replica set of a service that the server calls DELETED counts as gone too", async () => {
  const service = await create("orders");
  const set = await done(world.readReplicaSet.create(setOf(service)));
  world.emulator.mutate.service(service.id, { status: "DELETED" });
  fault({ kind: "status", status: 404, operation: "deleteReplicaSet", times: Infinity });
  world.nextRun();
  await expect(world.readReplicaSet.remove(set)).resolves.toBeUndefined();
});

test("the half minute of an absence begins with the first list of the run that lacked the object", async () => {
  const [one, two, present] = await three();
  if (one === undefined || two === undefined || present === undefined) throw new Error("none");
  for (const { id } of [one, two]) world.emulator.mutate.deleteService(id);
  expect(await outcomes([one, present])).toEqual(["gone", present.id]);
  expect(await world.secondsOf(async () => expect(await outcomes([two])).toEqual(["gone"]))).toBeLessThan(3);
});

test("the error of a change during which the service is deleted does not call it an existing object", async () => {
  makeBystander();
  const kept = await earlier(create("orders"));
  const act = (): void => world.emulator.mutate.deleteService(kept.id);
  fault({ kind: "meanwhile", operation: "enablePooler", when: "after", act });
  const { failed } = await world.service.update(kept, { name: "orders", ...SMALL, poolerEnabled: true });
  expect(failed).toMatch(/it is no longer there[^]*\nservice .* stays in the state\./);
  expect(failed).not.toMatch(/exists and is kept|The next `pulumi up` continues/);
});

const believe = () => {
  const believing = world.elsewhere(settings());
  believing.believedGone.push(world.emulator.projectId);
  return believing;
};
const words = /service .* is missing, and project proj000001 shows no (service|object) at all.*the state is unchanged/;

test.each<[string, (process: typeof world, kept: Kept) => Promise<unknown>]>([
  ["a delete", (process, kept) => process.service.remove(kept)],
  ["an update", (process, kept) => process.service.update(kept, { name: "orders", ...LARGE })],
  [
    "a create beside it",
    (process, kept) => {
      process.service.preview(kept, kept.inputs);
      return process.service.create({ name: "new" });
    },
  ],
])("where all services are gone at once, %s does not take one for gone", async (what, act) => {
  const kept = await create("orders");
  world.emulator.mutate.deleteService(kept.id);
  world.nextRun();
  const said = await act(world, kept).then((end) => String((end as Partial<Kept> | undefined)?.failed), String);
  expect(said).toMatch(words);
  expect(world.calls().filter((call) => call !== "deleteService")).toEqual([]);
  const end = (await act(believe(), kept)) as Partial<Kept> | undefined;
  // A delete has no result.
  const failed = what === "an update" ? textWith("it is no longer there") : undefined;
  expect(end?.failed).toEqual(failed);
});

test("the only service counts as gone where the server accepted its delete in an earlier run", async () => {
  const kept = await earlier(done(world.service.create({ name: "orders", ...SMALL, timeouts: { delete: "20s" } })));
  world.emulator.settings.timings.delete = MINUTE_MS;
  expect((await errorOf(world.service.remove(kept))).message).toMatch(/not done after 20 s/);
  await world.clock.sleep(2 * MINUTE_MS);
  world.restart();
  expect(await world.service.refresh(kept)).toBeUndefined();
  await world.service.remove({ ...kept, outputs: { ...kept.outputs, timeouts: {} } });
});

test("a hundred objects that are gone take half a minute together, and few lists", async () => {
  world.emulator.mutate.createService({ name: "of-others" });
  const kept = await Promise.all(Array.from({ length: 100 }, (_, index) => create(`s${index}`)));
  for (const { id } of kept) world.emulator.mutate.deleteService(id);
  world.nextRun();
  world.emulator.clearRequests();
  const seconds = await world.secondsOf(async () => expect(new Set(await outcomes(kept))).toEqual(new Set(["gone"])));
  expect(seconds).toBeLessThan(36);
  expect(world.requestsOf("getService")).toHaveLength(200);
  expect(world.requestsOf("listServices").length).toBeLessThan(20);
});

/** From the first DELETE on. */
const brownOutAtDelete = (ms: number): void => {
  world.onRequest(({ method }) => {
    if (method !== "DELETE") return;
    world.onRequest(() => undefined);
    brownOut(ms);
  });
};

test.each([
  ["has no answer", 503],
  ["is answered 404", 404],
])("a delete in a brown-out that %s is sent again once the object shows, and leaves none behind", async (_, status) => {
  const kept = await earlier(create("orders"));
  fault({ kind: "status", status, operation: "deleteService" });
  brownOutAtDelete(5_000);
  await world.service.remove(kept);
  expect(world.emulator.state().services).toEqual([]);
});

const createUnprotected = async (): Promise<Kept> =>
  done(world.service.update(await create("orders"), { name: "orders", ...SMALL, deletionProtection: false }));

test.each<[string, () => unknown]>([
  ["refuses a second one", () => fault({ kind: "status", status: 400, operation: "deleteService" })],
  ["tags the service PROD after it", () => tagAtDelete()],
])("a delete that had no answer, and took effect, is waited for where the server %s", async (_how, prepare) => {
  const kept = await earlier(create("orders"));
  world.emulator.settings.timings.delete = MINUTE_MS;
  fault({ kind: "lostAfter", operation: "deleteService" });
  prepare();
  await world.service.remove(kept);
  expect([world.calls(), world.emulator.state().services]).toEqual([["deleteService"], []]);
});

function tagAtDelete(): void {
  world.onRequest(({ operation }) => {
    const [service] = world.emulator.state().services;
    if (operation === "getService" && service?.status === "DELETING" && service.environment !== "PROD")
      world.emulator.mutate.service(service.id, { environment: "PROD" });
  });
}

test("a delete without an answer, of a service that this run has never seen, is sent until the server takes it", async () => {
  const unprotected = await earlier(createUnprotected());
  brownOut(20_000);
  fault({ kind: "status", status: 503, operation: "deleteService" });
  await world.service.remove(unprotected);
  const left = world.emulator.state().services.map(({ status }) => status);
  expect([world.calls(), left]).toEqual([["deleteService", "deleteService"], ["DELETING"]]);
});

test("a delete of a gone service that this run has never seen ends after half a minute, and its row says why it waits", async () => {
  makeBystander();
  const unprotected = await createUnprotected();
  world.emulator.mutate.deleteService(unprotected.id);
  world.restart();
  const removal = world.secondsOf(() => world.service.remove(unprotected));
  // Three reads of the tag come first.
  await world.clock.sleep(3_000);
  expect(world.progress.at(-1)).toMatch(/was not found; watching for 30 s to see whether it reappears/);
  const seconds = await removal;
  expect([seconds >= 30, seconds < 35]).toEqual([true, true]);
});

test("a delete of what is gone, with less time than that takes, says how much it needs", async () => {
  const kept = await earlier(done(world.service.create({ name: "orders", ...SMALL, timeouts: { delete: "20s" } })));
  deleteByHand(world.emulator, { kind: "service", id: kept.id });
  expect(await errorOf(world.service.remove(kept))).toMatchObject({
    errorName: "gone-too-short",
    hint: "Nothing counts as gone sooner: give the operation 30 s more in `timeouts`.",
  });
});

/** The service is DELETING, and gone after two minutes. */
function beingDeleted({ id }: Kept): number {
  makeBystander();
  world.emulator.mutate.service(id, { status: "DELETING" });
  const endMs = world.clock.now() + 2 * MINUTE_MS;
  world.onRequest(() => {
    const isThere = world.emulator.state().services.some((service) => service.id === id);
    if (isThere && world.clock.now() >= endMs) world.emulator.mutate.deleteService(id);
  });
  return endMs;
}

test.each([404, 409])(
  "what something else deletes is waited for, although its delete is answered %i",
  async (status) => {
    const kept = await create("orders");
    const endMs = beingDeleted(kept);
    fault({ kind: "status", status, operation: "deleteService", times: Infinity });
    await world.service.remove(kept);
    expect(world.clock.now()).toBeGreaterThanOrEqual(endMs);
  },
);
