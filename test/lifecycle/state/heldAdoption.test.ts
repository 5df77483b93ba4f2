// Adoption and taken names, where the state holds an object: nothing is taken away from a resource of the program.

import { describe, expect, test } from "vitest";
import { ARGS, isThere, live, pending, refreshBoth, urn, useHeldScene, world } from "./heldScene";

useHeldScene();

describe("adoption", () => {
  test("is refused where a resource of the program holds the object", async () => {
    await world.service.update(live, ARGS);
    const other = { ...ARGS, ...urn("other") };
    world.adopt.push(live.id);
    await expect(world.service.create({ ...other, adoptId: live.id })).rejects.toThrow(
      "another resource of this program",
    );
    await expect(world.service.create(other)).rejects.toThrow("is declared twice");
    expect(world.calls().slice(1)).toEqual([]);
  });

  test.each([{ adoptId: true }, { adoptId: false }])(
    "of an object that this run would replace by force keeps it, also where a refresh has shown it (adoptId: $adoptId)",
    async ({ adoptId }) => {
      await refreshBoth();
      if (!adoptId) world.adopt.push(live.id);
      const args = { ...ARGS, ...(adoptId ? { adoptId: live.id } : {}) };
      expect((await world.service.create(args)).id).toBe(live.id);
      await world.service.removePending(pending);
      expect(world.calls().slice(1)).toEqual([]);
    },
  );

  test("before the other entry is compared: neither may delete it", async () => {
    await world.service.create({ ...ARGS, ...urn("new"), adoptId: live.id });
    world.service.preview(live, { ...ARGS, regionCode: "us-east-1" });
    await world.service.removePending(pending);
    await world.service.removePending(live);
    expect(isThere()).toBe(true);
  });

  test("keeps the initial password that this process has seen", async () => {
    await world.service.refresh(live);
    world.service.compare(live);
    const taken = await world.service.create({ ...ARGS, ...urn("relabelled"), adoptId: live.id });
    expect(live.outputs["initialPassword"]).toBeTypeOf("string");
    expect(taken.outputs["initialPassword"]).toBe(live.outputs["initialPassword"]);
  });

  test("is said in the preview, as a plain create would be shown", () => {
    const args = { ...ARGS, ...urn("new"), adoptId: "svc1234567" };
    expect(world.service.check(args).warnings.join()).toContain(
      'adoptId: the existing service "svc1234567" is adopted and changed in place',
    );
    expect(world.service.check(args).warnings.join()).toContain("from then on a destroy of this stack deletes it");
    expect(world.service.check(args, args).warnings).toEqual([]);
    expect(world.service.check(args).warnings.join()).not.toContain("gives no");
    expect(world.service.check({ ...args, name: undefined }).warnings.join()).toContain(
      'what the program says, and named "new-dev", because the program gives no `name`; none is created',
    );
    expect(world.service.check(ARGS).warnings).toEqual([]);
  });
});

describe("a name that is taken", () => {
  test("is told with each case and its own way on, and never as unknown", async () => {
    const { message, hint } = await world.service.create(ARGS).then(
      () => ({ message: "", hint: "" }),
      (error: Error & { hint?: string }) => error,
    );
    expect(message).toContain(live.id);
    expect(message).not.toContain("does not know");
    expect(hint).toMatch(/^To go on with this one, .*adoptId: .*DBCLOUD_ADOPT=.*without `--replace`/);
    expect(hint).toMatch(/new one .* EMPTY: another `name` or `allowDuplicateName: true`.*`aliases`/);
  });

  test("by a pending deletion of the same resource that a refresh has shown is free", async () => {
    await world.service.refresh(pending);
    world.service.compare(pending);
    const next = await world.service.create(ARGS);
    expect(next.id).not.toBe(live.id);
    await world.service.removePending(pending);
    expect(isThere()).toBe(false);
  });
});
