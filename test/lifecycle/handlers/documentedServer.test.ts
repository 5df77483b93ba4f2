// A server that offers the contract and nothing more: what it lacks is said, with the safe remedy, nothing is pretended
// and nothing is changed.

import { afterEach, describe, expect, test } from "vitest";
import type { Switches } from "../../../emulator/index";
import { ProviderError } from "../../../provider/domain/errors";
import { openWorld, type World } from "../../support/world";
import { textLike } from "../../support/matchers";

let world: World;
afterEach(() => world.close());

const ROUTES: Record<string, Partial<Switches>> = {
  "404 and 405, as they come": {},
  "404": { missingRoutes: 404 },
  "405": { missingRoutes: 405 },
  "501": { missingRoutes: 501 },
  "403, not on this plan": { missingRoutes: 403 },
  "404 in HTML": { missingRoutes: 404, errorBody: "html" },
  "405 without a word": { missingRoutes: 405, errorBody: "empty" },
};

async function open(switches: Partial<Switches>): Promise<void> {
  world = await openWorld({ profile: "documented", switches });
}

describe.each(Object.entries(ROUTES))("missing routes answer %s", (_name, switches) => {
  test("rename is refused before anything is changed, and with the old name the rest goes through", async () => {
    await open(switches);
    const kept = await world.service.create({ name: "orders" });
    const told = await errorOf(world.service.update(kept, { name: "bills", poolerEnabled: true }));
    expect(told).toContain("failed: rename");
    expect(told).toContain("not tried: enablePooler");
    expect(told).toContain("Keep the old name in the program, or rename it in the console.");
    expect(world.emulator.state().services).toMatchObject([{ id: kept.id, name: "orders", poolerEnabled: false }]);
    const next = await world.service.update(kept, { name: "orders", poolerEnabled: true });
    expect(next.failed).toBeUndefined();
    expect(next.outputs).toMatchObject({ name: "orders", poolerEnabled: true });
  });

  test("start is refused, and the service stays stopped", async () => {
    await open(switches);
    const kept = await world.service.create({ name: "orders", paused: true });
    const args = { name: "orders", paused: false };
    const told = await errorOf(world.service.update(kept, args));
    expect(told).toContain("failed: start");
    expect(told).toContain("Start the service in the console, then run `pulumi up` again.");
    expect(world.emulator.state().services).toMatchObject([{ status: "PAUSED" }]);
    world.emulator.mutate.service(kept.id, { paused: false });
    const whole = await world.service.update(kept, args);
    expect(whole.outputs).toMatchObject({ paused: false, status: "READY" });
  });

  test("a change of a stopped service fails before anything is changed", async () => {
    await open(switches);
    const kept = await world.service.create({ name: "orders", cpuMillis: 500, memoryGbs: 2, paused: true });
    const change = { name: "orders", cpuMillis: 1000, memoryGbs: 4, paused: true };
    expect(await errorOf(world.service.update(kept, change))).toContain("not tried: resize, stop");
    expect(world.emulator.state().services).toMatchObject([{ cpuMillis: 500, status: "PAUSED" }]);
  });

  test("delete is refused and says how to go on; with onDelete it ends stopped and out of the state", async () => {
    await open(switches);
    const kept = await world.service.create({ name: "orders" });
    await expect(world.service.remove(kept)).rejects.toThrow("deleteService of service orders");
    await expect(world.service.remove(kept)).rejects.toMatchObject({
      hint: textLike(/`onDelete: "stop"`.*`retainOnDelete`.*`delete original`.*by its id/s),
    });
    expect(world.emulator.state().services).toMatchObject([{ id: kept.id, status: "READY" }]);
    const stored = await world.service.update(kept, { name: "orders", onDelete: "stop" });
    await world.service.remove(stored);
    expect(world.emulator.state().services).toMatchObject([{ id: kept.id, status: "PAUSED" }]);
    expect(world.warnings.at(-1)).toContain("Pulumi forgets it");
  });
});

describe("everything else", () => {
  test("is in the contract: read replica sets are found through their parent", async () => {
    await open({});
    const parent = await world.service.create({ name: "orders" });
    const args = { serviceId: parent.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
    const kept = await world.readReplicaSet.create(args);
    const next = await world.readReplicaSet.update(kept, { ...args, cpuMillis: 1000, memoryGbs: 4 });
    expect((await world.readReplicaSet.refresh(next))?.outputs).toMatchObject({ cpuMillis: 1000, status: "active" });
    await world.readReplicaSet.remove(next);
    expect(world.emulator.state().replicaSets).toEqual([]);
    expect(world.emulator.requests().filter((request) => request.operation === undefined)).toEqual([]);
  });

  test("is changed as ever: nothing undocumented is called where nothing undocumented is asked for", async () => {
    await open({});
    const args = { name: "orders", cpuMillis: 500, memoryGbs: 2 };
    const kept = await world.service.create(args);
    const next = await world.service.update(kept, {
      ...args,
      cpuMillis: 1000,
      memoryGbs: 4,
      environment: "PROD",
      haReplicas: { replicaCount: 1 },
      poolerEnabled: true,
      password: "correct horse",
      paused: true,
    });
    expect(next.failed).toBeUndefined();
    expect(world.emulator.requests().filter((request) => request.operation === undefined)).toEqual([]);
  });

  test("a delete that the server lacks is told from a service that is gone", async () => {
    await open({ missingRoutes: 404 });
    const kept = await world.service.create({ name: "orders" });
    world.restart();
    world.emulator.mutate.deleteService(kept.id);
    await world.service.remove(kept);
    expect(world.emulator.state().services).toEqual([]);
  });
});

async function errorOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ProviderError ? error.fullMessage : "no error";
}
