// A stack with one service, of which somebody changes the size by hand: for tests of the command `drift`.

import { afterEach, beforeEach } from "vitest";
import type { Kept } from "../../support/world";
import { openScene, type Scene } from "./scene";

export const sizes = { cpuMillis: 500, memoryGbs: 2 };

export let scene: Scene;
export let orders: Kept;
/** The state of the stack that holds it. */
export let file: string;

/** Starts over before each test: two projects, and keys that may do less than all. */
export function useOrdersScene(): void {
  beforeEach(async () => {
    scene = await openScene({
      projects: [
        { id: "proj000001", name: "first" },
        { id: "proj000002", name: "second" },
      ],
      callers: [
        { token: "key-that-may-only-read", kind: "pat", readOnly: true },
        { token: "key-of-another-project", kind: "pat", projectId: "proj000002" },
      ],
    });
    orders = await scene.service.create({ name: "orders", ...sizes });
    file = scene.stack("dev", { orders: ["Service", orders] });
  });
  afterEach(() => scene.close());
}

/** Drift. */
export function resizeOutside(): void {
  scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000 });
}
