// A drift that no call changes back never makes a replacement, whatever the program allows and asks for besides; and both
// ways on that the error names lead on.

import { afterAll, beforeAll, expect, test } from "vitest";
import { Service, type ServiceArgs } from "../../../provider/index";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";

let world: EngineWorld;

beforeAll(async () => {
  world = await openEngineWorld();
});

afterAll(() => world.close());

test("a service that was made shared in the console is not replaced to resize it, and an up works once the program says shared", async () => {
  const { emulator } = world;
  const args: ServiceArgs = { name: "orders", allowReplace: true, cpuMillis: 500, memoryGbs: 2 };
  const stack = await world.open(() => {
    void new Service("orders", { ...args });
    return Promise.resolve();
  });
  const makeShared = async (): Promise<string> => {
    const { id = "" } = (await stack.resources())["orders"] ?? {};
    emulator.mutate.service(id, { wire: { resources: [{ id: "r", spec: { volume_type: "" } }] } });
    return id;
  };
  await stack.up();
  const first = await makeShared();
  Object.assign(args, { cpuMillis: 1000, memoryGbs: 4 });
  await expect(stack.up({ refresh: true })).rejects.toThrow(/from 500 to "shared".* it is not replaced for that/);
  expect(emulator.state().services).toMatchObject([{ id: first }]);

  args.name = "orders-2";
  const urn = (await stack.resources())["orders"]?.urn ?? "";
  const anew = await stack.up({ target: [urn], replace: [urn] });
  expect(anew).toMatchObject({ calls: ["createService", "deleteService"] });
  const second = await makeShared();
  Object.assign(args, { cpuMillis: "shared", memoryGbs: "shared" });
  expect(await stack.up({ refresh: true })).toMatchObject({ calls: [] });
  expect(emulator.state().services).toMatchObject([{ id: second, name: "orders-2" }]);
});

test("a region that the server spells differently, also at another address of the deployment, causes no change", async () => {
  const { emulator } = world;
  const program = (): Promise<void> => {
    void new Service("words", { name: "words", regionCode: "us-east-1", allowReplace: true });
    return Promise.resolve();
  };
  const options = { project: "words" };
  const stack = await world.open(program, options);
  await stack.up();
  const { id = "" } = (await stack.resources())["words"] ?? {};
  emulator.mutate.service(id, { wire: { region_code: "aws-us-east-1" } });
  expect(await stack.up({ refresh: true })).toMatchObject({ steps: [], calls: [] });
  world.environment["DBCLOUD_BASE_URL"] = emulator.baseUrl.replace("127.0.0.1", "localhost");
  const there = await world.open(program, { ...options, workDir: stack.workDir });
  expect(await there.up({ refresh: true })).toMatchObject({ steps: [], calls: [] });
});
