// The judge reports an overlap only if its sender could have known of the running change.

import { expect, test } from "vitest";
import { openWithService } from "../emulator/support/emulator";
import { createOverlapWatch, type OverlapWatch } from "./judge/overlaps";

const replica = { cpu_millis: 500, memory_gbs: 2, name: "reads", nodes: 1 };
const size = { cpu_millis: "1000", memory_gbs: "4" };

/** A service with a replica set, on a server that allows two changes at once. */
async function openWatched() {
  let watch: OverlapWatch | undefined;
  const world = await openWithService({
    switches: { busy: "allow" },
    onRequest: (record) => watch?.requested(record),
  });
  const made = await world.ask(202, "POST", `${world.path}/replicaSets`, replica);
  world.emulator.settle();
  const overlaps = createOverlapWatch(() => world.emulator);
  watch = overlaps;
  return {
    ...world,
    set: `${world.path}/replicaSets/${String(made["id"])}`,
    /** The next command, in another process. */
    command: (): void => {
      world.clock.advance(1);
      overlaps.begin(world.clock.now());
    },
    /** Whether the last change overlapped another one and counts as a breach. */
    isToBlame: (): boolean => {
      const last = world.emulator.ledger().at(-1);
      if (last?.overlapped !== true) throw new Error("nothing overlapped");
      return !overlaps.isUnseen(last);
    },
  };
}

test("whoever sends a change during another one is to blame, whether a status shows that or not", async () => {
  const { call, path, set, isToBlame } = await openWatched();
  await call("POST", `${set}/enablePooler`);
  await call("POST", `${path}/replicaSets`, replica);
  expect(isToBlame()).toBe(true);
  await call("POST", `${path}/resize`, size);
  expect(isToBlame()).toBe(true);
});

test("a call that is repeated is not, nor what follows it where no status shows that it runs", async () => {
  const { call, path, set, isToBlame } = await openWatched();
  await call("POST", `${set}/enablePooler`);
  await call("POST", `${set}/enablePooler`);
  expect(isToBlame()).toBe(false);
  await call("POST", `${path}/replicaSets`, replica);
  expect(isToBlame()).toBe(false);
  await call("POST", `${path}/replicaSets`, { ...replica, name: "other" });
  expect(isToBlame()).toBe(true);
});

test("what follows a repeated call is to blame where the status shows that it runs", async () => {
  const { call, path, isToBlame } = await openWatched();
  await call("POST", `${path}/resize`, size);
  await call("POST", `${path}/resize`, size);
  await call("POST", `${path}/setHA`, { replica_count: 1 });
  expect(isToBlame()).toBe(true);
});

/** A change that a fault holds in a status from its beginning, and the next command, which reads it. */
async function openHeld(status: string) {
  const world = await openWatched();
  world.emulator.faults.add({ kind: "stuck", operation: "resize", status, ms: 60_000 });
  await world.call("POST", `${world.path}/resize`, size);
  return world;
}

test.each([
  ["UNSTABLE", false],
  ["REBALANCING", false],
  ["UPGRADING", true],
])("a delete of what is %s since an earlier command is to blame: %s", async (status, isBlamed) => {
  const { call, path, get, command, isToBlame } = await openHeld(status);
  command();
  await get();
  await call("DELETE", path);
  expect(isToBlame()).toBe(isBlamed);
});

test("a delete of what is UNSTABLE is to blame for a change of its own command, and where nothing was read", async () => {
  const own = await openHeld("UNSTABLE");
  await own.get();
  await own.call("DELETE", own.path);
  expect(own.isToBlame()).toBe(true);
  const unread = await openHeld("UNSTABLE");
  await unread.get();
  unread.command();
  await unread.call("DELETE", unread.path);
  expect(unread.isToBlame()).toBe(true);
});

test("any other change of what is UNSTABLE is to blame", async () => {
  const { call, path, get, command, isToBlame } = await openHeld("UNSTABLE");
  command();
  await get();
  await call("POST", `${path}/setHA`, { replica_count: 1 });
  expect(isToBlame()).toBe(true);
});
