// An object is its id and the time of its creation. And the reason of a replacement must still be so when the old one would be
// deleted.

import { beforeEach, describe, expect, test } from "vitest";
import { done, earlier, fault, type KINDS, LARGE, refreshed, SMALL, useWorld, world } from "../core/scene";
import { ProviderError } from "../../provider/domain/errors";
import type { Kept } from "../support/world";
import { alive, endOf, type Held, madeOf, make } from "./absence";

useWorld();

describe("the object under an id of the state that is another one, made at another time,", () => {
  let held: Held;
  let theirs: object;
  beforeEach(async () => {
    held = await earlier(make("service", { name: "orders", ...SMALL }));
    const createdAt = world.clock.now() + 24 * 3_600_000;
    theirs = { name: "somebody-elses", createdAt, cpuMillis: 2000, memoryGbs: 8 };
    world.emulator.mutate.service(held.kept.id, theirs);
  });

  /** What is said of it, as an error or a warning; `undefined` if it went well. */
  async function said(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    const text = error instanceof ProviderError ? error.fullMessage : error instanceof Error ? error.message : "";
    const failed = typeof error === "object" && error !== null && "failed" in error ? String(error.failed) : "";
    return [text, failed, ...world.warnings.splice(0)].join("\n");
  }

  /** As the error names it: both objects, and both ways out. */
  const NAMED = /(?=[^]*orders)(?=[^]*somebody-elses)(?=[^]*adoptId)(?=[^]*state delete)/;

  test("another object under the id of the state changes no entry in a refresh, which says so", async () => {
    const { kept } = held;
    const read = world.service.refresh(kept);
    const words = await said(read);
    expect(words).toMatch(NAMED);
    // The engine keeps the entry of a read that fails.
    const { inputs, outputs } = (await read.catch(() => kept)) ?? {};
    expect({ inputs, outputs }).toEqual({ inputs: kept.inputs, outputs: kept.outputs });
  });

  test.each([
    ["an up", false],
    ["an up after a refresh", true],
  ])("another object under the id of the state is sent nothing by %s that resizes", async (_how, isRefreshed) => {
    const seen = isRefreshed ? await world.service.refresh(held.kept).catch(() => held.kept) : held.kept;
    const words = await said(world.service.update(seen ?? held.kept, { ...held.args, ...LARGE, name: "renamed" }));
    expect(words).toMatch(NAMED);
    expect(world.calls()).toEqual([]);
    expect(world.emulator.state().services).toMatchObject([{ name: "somebody-elses", cpuMillis: 2000 }]);
  });

  test.each([
    ["a delete", (kept: Kept) => world.service.remove(kept)],
    [
      "a delete of an entry that is not protected",
      (kept: Kept) => world.service.remove({ ...kept, outputs: { ...kept.outputs, deletionProtection: false } }),
    ],
    [
      "a replacement",
      (kept: Kept) => world.service.replace(kept, { ...held.args, regionCode: "eu", allowReplace: true }),
    ],
  ])("another object under the id of the state outlives %s, whose error names both", async (_how, remove) => {
    expect(await said(remove(held.kept))).toMatch(NAMED);
    expect(world.callsOn(held.kept.id)).toEqual([]);
    expect(world.emulator.state().services.map(({ name }) => name)).toContain("somebody-elses");
  });

  test("another object under the id of the state is the resource's own, once `adoptId` says so", async () => {
    const args = { ...held.args, adoptId: held.kept.id };
    const taken = await earlier(done(world.service.update(held.kept, args)));
    const seen = await earlier(refreshed(taken));
    const kept = await done(world.service.update(seen, args));
    expect(world.emulator.state().services).toMatchObject([{ id: kept.id, name: "orders", cpuMillis: 500 }]);
    world.nextRun();
    expect(await endOf({ ...held, kept })).toBe("deleted");
  });

  test("another object under the id of the state is known by its time alone, where it has the same name", async () => {
    world.emulator.mutate.service(held.kept.id, { name: "orders", cpuMillis: 500, memoryGbs: 2 });
    expect(await endOf(held)).toBe("refused");
    expect(world.calls()).toEqual([]);
  });
});

test.each<[(typeof KINDS)[number], broken: string, hiddenMs: number]>([
  ["readReplicaSet", "error", 0],
  ["peering", "failed", 0],
  ["readReplicaSet", "error", 5_000],
  ["peering", "failed", 5_000],
])(
  "a %s that a refresh saw failed (%s), and that works again, is not deleted because it has failed, also if it is hidden for %i ms",
  async (kind, broken, hiddenMs) => {
    const { held } = await madeOf(kind);
    const mutate = (status: string): unknown =>
      kind === "peering"
        ? world.emulator.mutate.peering(held.kept.id, { status })
        : world.emulator.mutate.replicaSet(held.kept.id, { status: status === "active" ? "active" : "error" });
    world.nextRun();
    mutate(broken);
    const failed = await refreshed(held.kept, kind);
    expect(world[kind].preview(failed, held.args).replaces).toEqual(["status"]);
    world.nextRun();
    mutate("active");
    if (hiddenMs > 0) fault({ kind: "brownout", ids: [held.kept.id], ms: hiddenMs });
    await world[kind].replace(failed, held.args).catch(() => undefined);
    expect(world.calls()).toEqual([]);
    expect(alive().map(({ id }) => id)).toContain(held.kept.id);
  },
);
