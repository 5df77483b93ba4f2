// A drift that no call changes back never makes a replacement, whatever the program allows and asks for besides.

import { afterAll, beforeAll, expect, test } from "vitest";
import { Service, type ServiceArgs } from "../../../provider/index";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";

let world: EngineWorld;

beforeAll(async () => {
  world = await openEngineWorld();
});

afterAll(() => world.close());

test("a service that the console made shared is not replaced for a resize, and goes on where the program follows", async () => {
  const { emulator } = world;
  const size: Pick<ServiceArgs, "cpuMillis" | "memoryGbs"> = { cpuMillis: 500, memoryGbs: 2 };
  const stack = await world.open(() => {
    void new Service("orders", { name: "orders", allowReplace: true, ...size });
    return Promise.resolve();
  });
  await stack.up();
  const { id = "" } = (await stack.resources())["orders"] ?? {};
  emulator.mutate.service(id, { wire: { resources: [{ id: "r", spec: { volume_type: "" } }] } });

  Object.assign(size, { cpuMillis: 1000, memoryGbs: 4 });
  await expect(stack.up({ refresh: true })).rejects.toThrow(/from 500 to "shared".* it is not replaced for that/);
  Object.assign(size, { cpuMillis: "shared", memoryGbs: "shared" });
  const followed = await stack.up({ refresh: true });
  expect(followed).toMatchObject({ calls: [] });
  expect(emulator.state().services).toMatchObject([{ id, name: "orders" }]);
});
