// A key or a project that is not ours: a refresh forgets nothing, and a destroy deletes nothing and is not done.

import { expect, test } from "vitest";
import { KINDS, settings, world } from "../scene";
import { kept, nothingDeleted, READ_ONLY, refusal, unlike, useWrongPlaces } from "./wrongPlaces";

useWrongPlaces();

test.each(KINDS)(
  "a %s whose delete only seemed to be taken, and one wrong 404 after it, is not forgotten",
  async (kind) => {
    const { faults } = world.emulator;
    let isTaken = false;
    const isItsDelete = ({ method, path }: { method: string; path: string }): boolean =>
      (isTaken ||= method === "DELETE" && path.endsWith(`/${kept[kind].id}`));
    faults.add({ kind: "status", status: 200, match: isItsDelete });
    // A replica set is read by its service.
    const isRead = ({ method, path }: { method: string; path: string }): boolean =>
      method === "GET" && isTaken && !path.endsWith("s");
    faults.add({ kind: "status", status: 404, match: isRead });
    await expect(world[kind].remove(kept[kind])).rejects.toThrow(kept[kind].id);
    expect(nothingDeleted()).toBe(true);
  },
);

test("a key that is wrong, or has no rights, forgets and deletes nothing", async () => {
  const there = world.elsewhere(settings({ apiKey: "no-key-of-theirs" }));
  expect(await unlike(there, /401 .*does not accept the API key/s)).toEqual([]);
  const body = { code: "FORBIDDEN", message: "missing project permission" };
  world.emulator.faults.add({ kind: "status", status: 403, body, times: Infinity });
  expect(await unlike(world, /403 .*missing project permission.*another project/s)).toEqual([]);
});

test("a key without the right to delete refreshes, and does not destroy", async () => {
  const there = world.elsewhere(settings({ apiKey: READ_ONLY }));
  for (const kind of KINDS) {
    expect((await there[kind].refresh(kept[kind]))?.id).toBe(kept[kind].id);
    // Before anything is sent for a VPC, what is in it is looked at.
    const why = kind === "vpc" ? /in use; nothing was deleted/ : /403 .*has no right to this/s;
    expect(await refusal(there[kind].remove(kept[kind]))).toMatch(why);
  }
  expect(nothingDeleted()).toBe(true);
});

test("the recorded project counts, and not that of today's configuration", async () => {
  const there = world.elsewhere(settings({ projectId: "proj000002" }));
  for (const kind of KINDS) expect((await there[kind].refresh(kept[kind]))?.id).toBe(kept[kind].id);
  await there.readReplicaSet.remove(kept.readReplicaSet);
  expect(world.emulator.state().replicaSets).toEqual([]);
});

test.each(["proj000002", "proj999999"])(
  "the project %s in the state, which is not theirs, forgets nothing",
  async (projectId) => {
    for (const kind of KINDS) kept[kind] = { ...kept[kind], outputs: { ...kept[kind].outputs, projectId } };
    expect(await unlike(world, /40[34] .*(Check the project id|no right)/s)).toEqual([]);
  },
);
