// One id twice in the state, live and "to be deleted", and everything that leads there: a forced replacement, a failure of
// the program afterwards, a kill, an adoption. The engine's calls come in the order of the table in docs/reliability.md.

import { describe, expect, test } from "vitest";
import { RefusedError } from "../../../provider/domain/errors";
import type { Kept } from "../../support/world";
import { ARGS, isThere, live, pending, refreshBoth, urn, useHeldScene, world } from "./heldScene";

useHeldScene();

describe("what a resource of the program has is kept, and the second entry leaves the state", () => {
  test("unchanged", async () => {
    await world.service.update(live, ARGS);
    await world.service.removePending(pending);
    expect(isThere()).toBe(true);
    expect(world.warnings.at(-1)).toContain(`service orders (${live.id}) is kept`);
  });

  test("updated", async () => {
    await world.service.update(live, { ...ARGS, password: "a-password" });
    await world.service.removePending(pending);
    expect(isThere()).toBe(true);
  });

  test("after a refresh in the same process", async () => {
    await refreshBoth();
    await world.service.update(live, ARGS);
    await world.service.removePending(pending);
    expect(isThere()).toBe(true);
  });

  test("where its diff is an error", async () => {
    expect(() => world.service.preview(live, { ...ARGS, projectId: "elsewhere" })).toThrow("projectId");
    await world.service.removePending(pending);
    expect(isThere()).toBe(true);
  });

  test("by another resource of the program", async () => {
    await world.service.update(live, { ...ARGS, ...urn("renamed") });
    await world.service.removePending(pending);
    expect(isThere()).toBe(true);
  });

  test("by two, of which one is replaced", async () => {
    const free = { ...ARGS, allowReplace: true };
    const saved = await world.service.update(live, free);
    await world.service.update(saved, { ...free, ...urn("other") });
    const next = await world.service.replace(saved, {
      ...free,
      regionCode: "eu-west-1",
      allowDuplicateName: true,
    });
    expect(next.id).not.toBe(live.id);
    expect(isThere()).toBe(true);
  });

  test("also when it is to be stopped and left", async () => {
    await world.service.update(live, ARGS);
    await world.service.removePending({ ...pending, outputs: { ...pending.outputs, onDelete: "stop" } });
    expect(world.emulator.state().services).toMatchObject([{ id: live.id, status: "READY" }]);
  });
});

describe("what is to go goes", () => {
  test("it was taken out of the program", async () => {
    await world.service.removePending(live);
    await world.service.removePending(pending);
    expect(isThere()).toBe(false);
  });

  test("it was taken out of the program, and a refresh saw it first", async () => {
    await refreshBoth();
    await Promise.all([live, pending].map((entry) => world.service.removePending(entry)));
    expect(isThere()).toBe(false);
  });

  test("the planner replaces it, with an older entry of the same id beside it", async () => {
    const saved = await world.service.update(live, { ...ARGS, allowReplace: true });
    world.restart();
    const next = await world.service.replace(saved, { ...ARGS, allowReplace: true, regionCode: "eu-west-1" });
    await world.service.removePending(pending);
    expect(isThere()).toBe(false);
    expect(isThere(next.id)).toBe(true);
  });

  test("the engine replaces what would be changed in place, old one first", async () => {
    const args = { ...ARGS, name: "other" };
    world.service.preview(live, args);
    // Pulumi: with `replaceOnChanges` and `deleteBeforeReplace` the resource is checked as new, then the old one goes.
    world.service.check(args);
    await world.service.removePending(live);
    expect(isThere()).toBe(false);
  });

  test("a forced replacement beside it, as `allowDuplicateName` makes it", async () => {
    const next = await world.service.create({ ...ARGS, allowDuplicateName: true });
    await world.service.removePending(live);
    expect(isThere()).toBe(false);
    expect(isThere(next.id)).toBe(true);
  });
});

describe("a replacement that the planner did not see coming (`replaceOnChanges`), in the preview", () => {
  const NEXT = { ...ARGS, poolerEnabled: true };

  test("says what becomes of the data", () => {
    world.service.preview(live, NEXT);
    expect(world.service.check(NEXT)).toMatchObject({
      failures: [],
      warnings: [expect.stringContaining("is replaced: its data are lost with the old one")],
    });
  });

  test("names the object by the name that it has, not by the one that its successor gets", async () => {
    const next = { ...NEXT, name: "renamed" };
    const outputs = { ...live.outputs, deletionProtection: true };
    world.service.preview(live, next);
    const { warnings } = world.service.check(next);
    expect(warnings).toEqual([expect.stringContaining(`service orders (${live.id}) is replaced`)]);
    world.restart();
    world.service.preview({ ...live, outputs }, next);
    const refused = `service orders (${live.id}) is protected`;
    expect(world.service.check(next).failures).toEqual([expect.stringContaining(refused)]);
    await expect(world.service.create(next)).rejects.toThrow(refused);
  });

  test("is refused where it is protected", () => {
    const outputs = { ...live.outputs, deletionProtection: true };
    world.service.preview({ ...live, outputs }, NEXT);
    expect(world.service.check(NEXT).failures).toEqual([expect.stringContaining("so it is not replaced")]);
  });

  test("an update and a create say nothing of the kind", () => {
    expect(world.service.check(NEXT)).toMatchObject({ failures: [], warnings: [] });
    world.service.preview(live, NEXT);
    expect(world.service.check(NEXT, live.inputs)).toMatchObject({ failures: [], warnings: [] });
  });
});

async function refusalOf(call: Promise<unknown>): Promise<RefusedError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RefusedError)) throw new Error("it was not refused");
  return error;
}

describe("protection, where the entry to be deleted does not know of it", () => {
  const protectedOne = (): Kept => ({ ...live, outputs: { ...live.outputs, deletionProtection: true } });

  test("the other entry's delete comes at the same time", async () => {
    const both = [pending, protectedOne()].map((entry) => world.service.removePending(entry));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(isThere()).toBe(true);
  });

  test("a refresh in the same process has seen it", async () => {
    await world.service.refresh(protectedOne());
    await expect(world.service.removePending(pending)).rejects.toThrow("the other one is protected");
    expect(isThere()).toBe(true);
  });

  test("the live tag says so, until it is taken off; a refresh makes it the entry's own", async () => {
    world.emulator.mutate.service(live.id, { environment: "PROD" });
    await expect(world.service.removePending(pending)).rejects.toThrow("has the environment tag PROD");
    const seen = (await world.service.refresh(pending)) ?? pending;
    await expect(world.service.removePending(seen)).rejects.toThrow("deletionProtection is stored as true");
    expect(isThere()).toBe(true);
    world.restart();
    world.emulator.mutate.service(live.id, { environment: "DEV" });
    await world.service.removePending(pending);
    expect(isThere()).toBe(false);
  });

  test("of one that was replaced, the error says how to forget it: no update reaches it", async () => {
    const old: Kept = { ...live, outputs: { ...live.outputs, deletionProtection: true } };
    world.service.check(ARGS);
    const forced = await refusalOf(world.service.removePending(old));
    world.restart();
    const next = await world.service.create({ ...ARGS, name: "orders-2" });
    world.restart();
    await world.service.update(next, { ...ARGS, name: "orders-2" });
    const later = await refusalOf(world.service.removePending(old));
    for (const { hint } of [forced, later]) expect(hint).toContain('choose the one with "Pending Deletion"');
    const { hint } = await refusalOf(world.service.remove(old));
    expect(hint).not.toContain("Pending Deletion");
  });

  test("one that was imported and never read", async () => {
    world.emulator.mutate.service(live.id, { environment: "PROD" });
    const imported = { ...pending, outputs: { __provider: "x" } };
    await expect(world.service.removePending(imported)).rejects.toThrow("has the environment tag PROD");
  });

  test("a server that answers no read delays it only for a while", async () => {
    world.emulator.faults.add({ kind: "status", status: 500, operation: "getService", times: 20 });
    await world.service.removePending(pending);
    expect(isThere()).toBe(false);
  });
});
