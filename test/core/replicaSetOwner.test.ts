// A replica set whose state says nothing of its service, as after an import: the live service decides whether the set is
// deleted. Pulumi: imported entries have no dependencies, so that a set may be read and deleted before its service.

import { beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import { textLike, textWith } from "../support/matchers";
import type { Kept } from "../support/world";
import { earlier, errorOf, makeBystander, refreshed, world } from "./scene";
import { parent, readers, useParent } from "./replicaSetScene";

let imported: Kept;
useParent(async () => {
  const set = await world.readReplicaSet.create(readers());
  imported = { ...set, outputs: { serviceId: parent.id, __provider: "x" } };
  world.emulator.mutate.service(parent.id, { environment: "PROD" });
  world.nextRun();
});

const requests = () => world.emulator.requests().length;
const BY_STATE = "which is protected against deletion";
const BY_TAG = "has the environment tag PROD";
const seenSet = (kept: Kept) => refreshed(kept, "readReplicaSet");
const updateSet = (kept: Kept, more: Values = {}) => world.readReplicaSet.update(kept, readers(more));
/** As a later run does it. */
async function removeSet(kept: Kept): Promise<void> {
  world.restart();
  await world.readReplicaSet.remove(kept);
}

test("a refresh takes the protection from the live service, also where the set is read first", async () => {
  const seen = await seenSet(imported);
  world.restart();
  const before = requests();
  await expect(world.readReplicaSet.remove(seen)).rejects.toThrow(BY_STATE);
  expect(requests()).toBe(before);
  // The same with a state that was read before and got none.
  const { __owner: _, ...outputs } = seen.outputs;
  const again = await seenSet({ ...seen, outputs });
  await expect(removeSet(again)).rejects.toThrow(BY_STATE);
  expect(world.calls()).toEqual([]);
});

test("what a refresh takes from the live service keeps step with it from then on", async () => {
  world.emulator.mutate.service(parent.id, { environment: "DEV" });
  const seen = await seenSet(imported);
  world.restart();
  await world.service.update(parent, { name: "orders", deletionProtection: true });
  const held = await updateSet(seen);
  await expect(removeSet(held)).rejects.toThrow(BY_STATE);
});

test("a delete asks the live service, and its remedy leads to the end", async () => {
  expect(await errorOf(world.readReplicaSet.remove(imported))).toMatchObject({
    message: textLike(/has the environment tag PROD.*not kept by this run/),
    hint: textLike(/on the owner.*`pulumi up --refresh`/),
  });
  expect(world.calls()).toEqual([]);
  const OPEN = { name: "orders", environment: "PROD", deletionProtection: false };
  world.restart();
  const service = await refreshed(parent);
  const set = await seenSet(imported);
  await world.service.update(service, OPEN);
  const freed = await updateSet(set);
  await removeSet(freed);
  expect(world.calls()).toEqual(["deleteReplicaSet"]);
});

test("an update of an import that was never read makes it known as well", async () => {
  const unread = { ...parent, outputs: { __provider: "x" } };
  await world.service.update(unread, { name: "orders", environment: "PROD", deletionProtection: false });
  const freed = await updateSet(imported, { poolerEnabled: false });
  await removeSet(freed);
  expect(world.emulator.state().replicaSets).toEqual([]);
});

test("a deleted service does not prevent the delete of its set", async () => {
  makeBystander();
  world.emulator.mutate.deleteService(parent.id);
  await expect(world.readReplicaSet.remove(imported)).resolves.toBeUndefined();
});

test("a program that never had the service may delete the set that it made", async () => {
  const own = await world.readReplicaSet.create(readers({ name: "own" }));
  world.restart();
  const seen = await seenSet(own);
  await removeSet(seen);
  expect(world.calls()).toEqual(["createReplicaSet", "deleteReplicaSet"]);
});

test("a service that the program only reads (`get`) does not take the set under its protection in a refresh", async () => {
  world.emulator.mutate.service(parent.id, { environment: "PROD" });
  const own = await world.readReplicaSet.create(readers({ name: "own" }));
  world.restart();
  const got = await refreshed({ ...parent, inputs: {}, outputs: { __provider: "x" } });
  world.restart();
  world.warnings.length = 0;
  await world.service.refresh(got);
  world.emulator.mutate.service(parent.id, { environment: "DEV" });
  world.restart();
  await world.service.refresh(got);
  const seen = await seenSet(own);
  expect(seen.outputs["__owner"]).toBe("elsewhere");
  expect(world.warnings.filter((line) => line.includes("protected against deletion"))).toEqual([]);
  await removeSet(seen);
  expect(world.calls()).toContain("deleteReplicaSet");
});

test("one whose program takes the service in later is protected with it from then on", async () => {
  const own = await world.readReplicaSet.create(readers({ name: "own" }));
  world.restart();
  world.service.preview(parent, { name: "orders" });
  // From here on the tag of the service counts for its set too.
  expect(world.readReplicaSet.preview(own, readers({ name: "own" })).changes).toBe(true);
  await world.service.update(parent, { name: "orders", environment: "PROD" });
  const held = await updateSet(own, { name: "own" });
  await expect(removeSet(held)).rejects.toThrow(BY_STATE);
});

test("nor does the first refresh of an import, in the same run as a destroy, count as its program", async () => {
  const unread = { ...parent, outputs: { __provider: "x" } };
  const service = await refreshed(unread);
  world.service.compare(service);
  const set = await seenSet(imported);
  world.readReplicaSet.compare(set);
  await expect(world.readReplicaSet.removePending(set)).rejects.toThrow(BY_STATE);
  await expect(world.service.removePending(service)).rejects.toThrow("is protected against deletion");
  expect(world.calls()).toEqual([]);
});

describe("a service that the console tags PROD after its set was recorded", () => {
  const DEV = { name: "orders", environment: "DEV" };
  const PROD = { name: "orders", environment: "PROD", deletionProtection: false };
  let service: Kept;
  let set: Kept;
  beforeEach(async () => {
    world.emulator.mutate.service(parent.id, { environment: "DEV" });
    service = await refreshed(parent);
    set = await world.readReplicaSet.create(readers({ name: "later" }));
    world.emulator.mutate.service(parent.id, { environment: "PROD" });
    world.nextRun();
  });

  test("is deleted with its service by the steps that both errors name", async () => {
    const says = { message: textWith(BY_TAG), hint: textWith("`pulumi up --refresh`") };
    await expect(world.readReplicaSet.remove(set)).rejects.toMatchObject(says);
    await expect(world.service.remove(service)).rejects.toMatchObject(says);
    expect(world.calls()).toEqual([]);
    world.restart();
    const [open_, seen] = [await refreshed(service), await seenSet(set)];
    const open = await world.service.update(open_, { ...DEV, deletionProtection: false });
    const freed = await updateSet(seen, { name: "later" });
    await removeSet(freed);
    await world.service.remove(open);
    expect(world.calls()).toEqual(["setEnvironment", "deleteReplicaSet", "deleteService"]);
  });

  test("keeps one that was imported and refreshed before", async () => {
    world.emulator.mutate.service(parent.id, { environment: "DEV" });
    const seen = await seenSet(imported);
    world.emulator.mutate.service(parent.id, { environment: "PROD" });
    await expect(removeSet(seen)).rejects.toThrow(BY_TAG);
    expect(world.calls()).toEqual([]);
  });

  test("gives it away where the program adopts the tag and says that nothing is protected", async () => {
    await world.service.update(service, PROD);
    expect(world.readReplicaSet.preview(set, readers({ name: "later" })).changes).toBe(true);
    const freed = await earlier(updateSet(set, { name: "later" }));
    await world.readReplicaSet.remove(freed);
    expect(world.calls()).toEqual(["deleteReplicaSet"]);
  });

  test("updates its set once the program protects it, in a preview that says so", () => {
    world.service.preview(service, DEV);
    expect(world.readReplicaSet.preview(set, readers({ name: "later" })).changes).toBeFalsy();
    world.service.preview(service, { ...DEV, deletionProtection: true });
    expect(world.readReplicaSet.preview(set, readers({ name: "later" })).changes).toBe(true);
    expect(world.progress.at(-1)).toMatch(/it and its service are protected against deletion now/);
  });

  test("and keeps its set too after it was tagged without protection once", async () => {
    service = await world.service.update(service, PROD);
    set = await updateSet(set, { name: "later" });
    expect(set.outputs["__owner"]).toBe("unprotected");
    for (let ups = 0; ups < 2; ups += 1) {
      world.restart();
      service = await world.service.update(service, DEV);
      set = await updateSet(set, { name: "later" });
    }
    world.emulator.mutate.service(parent.id, { environment: "PROD" });
    world.nextRun();
    await expect(world.readReplicaSet.remove(set)).rejects.toThrow(BY_TAG);
    await expect(world.service.remove(service)).rejects.toThrow(BY_TAG);
    expect(world.calls()).toEqual([]);
  });
});
