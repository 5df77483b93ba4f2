// Read replica sets are replaced where no call exists, and deleted, together with their parent too.

import { beforeEach, describe, expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { done, earlier, errorOf, fault, makeBystander, refreshed, setOf, urn, world } from "./scene";
import { parent, readers, useParent } from "./replicaSetScene";

useParent();

test.each<[string, Values]>([
  ["name", { name: "others" }],
  ["nodes", { nodes: 3 }],
])("a change of %s replaces a set, the new one first", async (key, change) => {
  const kept = await world.readReplicaSet.create(readers(urn("readers")));
  world.restart();
  const args = readers({ ...change, ...urn("readers") });
  expect(world.readReplicaSet.preview(kept, args)).toMatchObject({ replaces: [key], isOldFirst: false });
  const next = await done(world.readReplicaSet.replace(kept, args));
  expect(world.emulator.state().replicaSets).toMatchObject([{ id: next.id }]);
  const events = world.emulator.ledger().filter(({ kind }) => kind === "replicaSet");
  expect(events.map(({ event }) => event)).toEqual(["created", "created", "deleted"]);
});

test("an unknown parent is another parent; an unknown size is not", async () => {
  const kept = await world.readReplicaSet.create(readers());
  const replaces = (more: Values) => world.readReplicaSet.preview(kept, readers(more)).replaces;
  expect(replaces({ serviceId: UNKNOWN })).toEqual(["serviceId"]);
  expect(replaces({ cpuMillis: UNKNOWN, nodes: UNKNOWN })).toEqual([]);
});

test("a set is deleted after its service in one run, also where the project has no other service", async () => {
  const kept = await world.readReplicaSet.create(readers());
  world.nextRun();
  await world.service.remove(parent);
  await world.readReplicaSet.removePending(kept);
  expect(world.emulator.state()).toMatchObject({ services: [], replicaSets: [] });
});

test("a delete that never gets an answer ends by reads", async () => {
  const kept = await world.readReplicaSet.create(readers());
  fault({ kind: "lostAfter", operation: "deleteReplicaSet", times: Infinity });
  await world.readReplicaSet.remove(kept);
  expect(world.calls().filter((call) => call === "deleteReplicaSet")).toHaveLength(1);
});

test("a delete of the parent and its sets in one go ends, in either order, as does one of what is gone", async () => {
  makeBystander();
  const make = (name: string) => world.readReplicaSet.create(readers({ name }));
  const [a, b, lost] = [await make("a"), await make("b"), await make("lost")];
  world.emulator.mutate.deleteReplicaSet(lost.id);
  await world.readReplicaSet.remove(lost);
  await Promise.all([world.service.remove(parent), world.readReplicaSet.remove(a), world.readReplicaSet.remove(b)]);
  expect(world.emulator.state()).toMatchObject({ services: [{ name: "bystander" }], replicaSets: [] });
  await world.readReplicaSet.remove(a);
});

test("sets that were deleted by hand are watched at the same time, and their service can be changed meanwhile", async () => {
  makeBystander();
  const sets: Kept[] = [];
  for (const name of ["a", "b", "c"]) sets.push(await world.readReplicaSet.create(readers({ name })));
  world.nextRun();
  for (const { id } of sets) world.emulator.mutate.deleteReplicaSet(id);
  const removals = world.timed(() => Promise.all(sets.map((set) => world.readReplicaSet.remove(set))));
  const args = { name: "orders", cpuMillis: 1_000, memoryGbs: 4 };
  const update = await world.timed(() => world.service.update(parent, args));
  expect(update.seconds).toBeLessThan(25);
  expect((await removals).seconds).toBeLessThan(40);
});

test("a set is not gone while the list shows its service, though reads of that by its id answer 404 for long", async () => {
  makeBystander();
  const set = await earlier(world.readReplicaSet.create(readers()));
  for (const operation of ["getService", "deleteReplicaSet"] as const)
    fault({ kind: "status", status: 404, operation, times: Infinity });
  expect((await errorOf(world.readReplicaSet.refresh(set))).errorName).toBe("gone-but-listed");
  expect((await errorOf(world.readReplicaSet.remove(set))).errorName).toBe("gone-but-listed");
  expect(world.emulator.state().replicaSets).toMatchObject([{ id: set.id }]);
});

test("a set waits for the delete of another one whose answer was lost, although no read shows it yet", async () => {
  const { settings, faults } = world.emulator;
  const [a, b] = [
    await world.readReplicaSet.create(readers({ name: "a" })),
    await world.readReplicaSet.create(readers()),
  ];
  // What allows two changes at once shows which ones were sent so.
  settings.switches.busy = "allow";
  settings.stale = { ms: 3_000 };
  settings.timings.replicaDelete = 5_000;
  faults.add({ kind: "status", status: 503, commit: true, operation: "deleteReplicaSet" });
  await Promise.all([world.readReplicaSet.remove(a), world.readReplicaSet.remove(b)]);
  expect(world.emulator.state().replicaSets).toEqual([]);
  const ends = world.emulator.ledger().filter(({ id, event }) => id === b.id && event === "deleted");
  expect(ends).toMatchObject([{ overlapped: false }]);
});

test("sets whose deletes never get an answer hold up neither each other nor a change of their service for long", async () => {
  const sets = [
    await world.readReplicaSet.create(readers({ name: "a" })),
    await world.readReplicaSet.create(readers({ name: "b" })),
    await world.readReplicaSet.create(readers({ name: "c" })),
  ];
  world.nextRun();
  fault({ kind: "status", status: 500, operation: "deleteReplicaSet", times: Infinity });
  const removals = world.timed(() => Promise.all(sets.map((set) => errorOf(world.readReplicaSet.remove(set)))));
  await world.clock.sleep(1_000);
  const update = await world.timed(() =>
    world.service.update(parent, { name: "orders", cpuMillis: 1_000, memoryGbs: 4 }),
  );
  expect(update.seconds).toBeLessThan(3 * 60);
  expect((await removals).seconds).toBeLessThan(65 * 60);
});

describe("of a protected service", () => {
  const PROD = { name: "orders", environment: "PROD" };
  const OPEN = { ...PROD, deletionProtection: false };
  let service: Kept;
  let set: Kept;
  beforeEach(async () => {
    service = await world.service.update(parent, PROD);
    set = await earlier(world.readReplicaSet.create(readers()));
  });

  test("a set is refused together with its service, before anything is deleted", async () => {
    for (const isRefreshed of [false, true]) {
      if (isRefreshed) {
        // With --refresh the engine reads and compares what is about to be deleted as well.
        [service, set] = [await refreshed(service), await refreshed(set, "readReplicaSet")];
        world.service.compare(service);
        world.readReplicaSet.compare(set);
      }
      await expect(world.readReplicaSet.remove(set)).rejects.toThrow(
        `belongs to service ${parent.id}, which is protected against deletion`,
      );
      await expect(world.service.remove(service)).rejects.toThrow("is protected against deletion");
    }
    expect(world.calls()).toEqual([]);
  });

  test("a set goes alone while the program still declares the service", async () => {
    world.service.preview(service, PROD);
    await world.readReplicaSet.removePending(set);
    expect(world.calls()).toEqual(["deleteReplicaSet"]);
  });

  test("a set is replaced, also where the service itself is not read", async () => {
    const next = await world.readReplicaSet.replace(set, readers({ nodes: 3 }));
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createReplicaSet", "deleteReplicaSet"]);
  });

  test("what the set knows keeps step with its service, in a preview that says so", async () => {
    world.service.preview(service, OPEN);
    expect(world.readReplicaSet.preview(set, readers())).toMatchObject({ changes: true, operations: [] });
    expect(world.progress.at(-1)).toMatch(/it and its service are no longer protected against deletion/);
    const open = await world.service.update(service, OPEN);
    const freed = await world.readReplicaSet.update(set, readers());
    world.restart();
    await world.readReplicaSet.remove(freed);
    await world.service.remove(open);
    expect(world.calls()).toEqual(["deleteReplicaSet", "deleteService"]);
  });

  test("a set of an unprotected service learns of its protection, and of that by a drifted tag", async () => {
    const open = await world.service.update(service, OPEN);
    const freed = await world.readReplicaSet.update(set, readers());
    world.restart();
    const closed = await world.service.update(open, PROD);
    expect(world.readReplicaSet.preview(freed, readers())).toMatchObject({ changes: true, operations: [] });
    const held = await world.readReplicaSet.update(freed, readers());
    world.restart();
    await expect(world.readReplicaSet.remove(held)).rejects.toThrow("belongs to service");
    await expect(world.service.remove(closed)).rejects.toThrow("is protected");
    // A tag that a refresh sees is stored as protection.
    world.restart();
    const plain = await world.service.create({ name: "plain" });
    const beside = await world.readReplicaSet.create(readers({ serviceId: plain.id }));
    world.emulator.mutate.service(plain.id, { environment: "PROD" });
    const drifted = await refreshed(plain);
    world.service.preview(drifted, { name: "plain" });
    world.service.preview(drifted, { name: "plain" });
    expect(world.readReplicaSet.preview(beside, readers({ serviceId: plain.id })).changes).toBe(true);
  });

  test("an old state says nothing: no plan comes of it, and a refresh makes it known", async () => {
    const { __owner: _, ...outputs } = set.outputs;
    const old = { ...set, outputs };
    world.service.preview(service, PROD);
    expect(world.readReplicaSet.preview(old, readers()).changes).toBeUndefined();
    world.restart();
    const [, seen = old] = await Promise.all([world.service.refresh(service), world.readReplicaSet.refresh(old)]);
    world.restart();
    await expect(world.readReplicaSet.remove(seen)).rejects.toThrow("belongs to service");
  });
});

test("the refusals of the delete of a set count while its service is DELETING", async () => {
  const owner = await done(world.service.create({ name: "p" }));
  await world.clock.sleep(3 * 3_600_000);
  const set = await earlier(done(world.readReplicaSet.create(setOf(owner))));
  world.emulator.mutate.service(owner.id, { status: "DELETING" });
  fault({ kind: "status", status: 409, operation: "deleteReplicaSet", times: Infinity });
  const seconds = await world.secondsOf(() => world.readReplicaSet.remove(set).catch(() => undefined));
  expect(seconds).toBeLessThan(60);
});
