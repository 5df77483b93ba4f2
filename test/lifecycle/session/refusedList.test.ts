// A list that is refused, where each object can be read: it is nothing to operations that come one after the other, which
// asked for one object each.

import { expect, test } from "vitest";
import type { Kept } from "../../support/world";
import { useWorld, world } from "../scene";

let kept: Kept[];
useWorld({ timings: { queued: 0, create: 0 } }, async () => {
  kept = [];
  for (const name of ["a", "b", "c", "d"]) kept.push(await world.service.create({ name }));
  world.restart();
});

test.each([401, 403, 404, 429, 500, 503])("%i to every list: each refresh reads its own service", async (status) => {
  world.emulator.faults.add({ kind: "status", status, operation: "listServices", times: Infinity });
  const startedMs = world.clock.now();
  for (const one of kept) expect((await world.service.refresh(one))?.id).toBe(one.id);
  expect(world.clock.now() - startedMs).toBeLessThan(60_000);
});
