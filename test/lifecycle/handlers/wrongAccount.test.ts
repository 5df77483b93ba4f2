// A key or a project that is not ours: a refresh forgets nothing, and a destroy deletes nothing and is not done.

import { describe, expect, test } from "vitest";
import { type Kept } from "../../support/world";
import {
  kept,
  KINDS,
  nothingDeleted,
  READ_ONLY,
  refusal,
  settings,
  unlike,
  useWrongPlaces,
  world,
} from "./wrongPlaces";

useWrongPlaces();

test.each(KINDS)(
  "a %s whose delete only seemed to be taken, and one wrong 404 after it, is not forgotten",
  async (kind) => {
    const { faults } = world.emulator;
    const isIts = ({ path }: { path: string }): boolean => path.endsWith(`/${kept[kind].id}`);
    let isTaken = false;
    const isRead = ({ method }: { method: string }): boolean => method === "GET" && isTaken;
    const isItsDelete = (request: { method: string; path: string }): boolean =>
      (isTaken ||= request.method === "DELETE" && isIts(request));
    faults.add({ kind: "status", status: 200, match: isItsDelete });
    // A replica set is read by its service.
    faults.add({ kind: "status", status: 404, match: (request) => isRead(request) && !request.path.endsWith("s") });
    const outcome = await world[kind].remove(kept[kind]).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(Error);
    expect(nothingDeleted()).toBe(true);
  },
);

describe("a key", () => {
  test("that is wrong", async () => {
    const there = world.elsewhere(settings({ apiKey: "no-key-of-theirs" }));
    expect(await unlike(there, /401 .*does not accept the API key/s)).toEqual([]);
  });

  test("without the right to delete: refresh works, and destroy is not done", async () => {
    const there = world.elsewhere(settings({ apiKey: READ_ONLY }));
    for (const kind of KINDS) {
      expect((await there[kind].refresh(kept[kind]))?.id).toBe(kept[kind].id);
      // Before anything is sent for a VPC, what is in it is looked at.
      const why = kind === "vpc" ? /the VPC is in use; nothing was deleted/ : /403 .*has no right to this/s;
      expect(await refusal(there[kind].remove(kept[kind]))).toMatch(why);
    }
    expect(nothingDeleted()).toBe(true);
  });

  test("without any right", async () => {
    world.emulator.faults.add({
      kind: "status",
      status: 403,
      body: { code: "FORBIDDEN", message: "missing project permission" },
      times: Infinity,
    });
    expect(await unlike(world, /403 .*missing project permission.*another project/s)).toEqual([]);
  });
});

describe("a project", () => {
  test("of today's configuration does not count: the recorded one does", async () => {
    const there = world.elsewhere(settings({ projectId: "proj000002" }));
    for (const kind of KINDS) expect((await there[kind].refresh(kept[kind]))?.id).toBe(kept[kind].id);
    await there.readReplicaSet.remove(kept.readReplicaSet);
    expect(world.emulator.state().replicaSets).toEqual([]);
  });

  test.each(["proj000002", "proj999999"])("%s in the state, which is not theirs", async (projectId) => {
    const moved = (one: Kept): Kept => ({ ...one, outputs: { ...one.outputs, projectId } });
    for (const kind of KINDS) kept[kind] = moved(kept[kind]);
    expect(await unlike(world, /40[34] .*(Check the project id|no right)/s)).toEqual([]);
  });
});
