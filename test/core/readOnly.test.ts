// Handlers of a read-only provider: a create, update or delete is refused before anything is sent, and nothing is lost.

import { describe, expect, test } from "vitest";
import { textLike, textWith } from "../support/matchers";
import type { World } from "../support/world";
import { settings, useWorld, world } from "./scene";

useWorld();

const reading = (readOnly: string): World => world.elsewhere(settings({ readOnly }));

describe("with everything refused", () => {
  test("an update changes nothing: the state stays, and the next one that may does all of it", async () => {
    const kept = await world.service.create({ name: "orders", cpuMillis: 500, memoryGbs: 2 });
    const before = structuredClone(kept);
    world.calls();
    const reader = reading("true");
    const wanted = { name: "orders", cpuMillis: 1_000, memoryGbs: 4, poolerEnabled: true };
    await expect(reader.service.update(kept, wanted)).rejects.toMatchObject({
      code: "REFUSED",
      message: textLike(/^resize .*read-only[^]*is as it was[^]*not tried: enablePooler/),
      hint: textWith("dbcloud:readOnly"),
    });
    expect(kept).toEqual(before);
    expect(world.calls()).toEqual([]);
    const changed = await world.service.update(kept, wanted);
    expect(world.calls()).toEqual(["resize", "enablePooler"]);
    expect(changed.outputs).toMatchObject({ cpuMillis: 1_000, poolerEnabled: true });
  });
});
