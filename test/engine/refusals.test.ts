// What the rows and errors of absence, protection and lost creates say on the real CLI, and whether their advice works:
// every refusal leaves its entry in the state, and whoever follows it gets what it promises.

import { afterEach, expect, test } from "vitest";
import { Provider, ReadReplicaSet, Service, Vpc } from "../../provider/index";
import type { Program } from "../support/cli/inlineStack";
import { held, opened, removeAll, textOf, useEngineWorld, world } from "./world";

const SMALL = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
const READERS = { nodes: 1, cpuMillis: 500, memoryGbs: 2 } as const;
const OFF = { ...SMALL, deletionProtection: false } as const;

useEngineWorld();

const services = () => world.emulator.state().services;
const idOf = (named: string): string => services().find(({ name }) => name === named)?.id ?? "";

afterEach(removeAll);

test("a destroy of what somebody has deleted says in its row how long it watches", async () => {
  const stack = await opened("gone", () => void new Service("orders", OFF));
  world.emulator.mutate.createService({ name: "somebody-elses" });
  world.emulator.mutate.deleteService(idOf("gone-orders-dev"));
  const { text } = await stack.destroy();
  expect(text).toMatch(/orders .*was not found; watching for .* whether it appears again/);
  expect([await held(stack), world.calls()]).toEqual([[], ["deleteService"]]);
});

test("`drift` and `import --all` call nothing missing, and name nothing whole, while lists are cut", async () => {
  const names = ["a", "b", "c"];
  const stack = await opened("cut", () => names.forEach((name) => void new Service(name, { ...SMALL, name })));
  for (const next of [undefined, "header", "member"] as const) {
    world.emulator.faults.clear();
    world.emulator.faults.add({ kind: "cut", rows: 1, ...(next && { next }) });
    const drift = await world.command(["drift", "--json"], stack.workDir);
    expect([drift.code === 0, /"category": ?"missing"/.test(drift.out)]).toEqual([false, false]);
    expect(drift.text).toMatch(/\bcut\b|\bpage\b/);
  }
  // A list that does not say so is the first that this command sees.
  for (const next of ["header", "member"] as const) {
    world.emulator.faults.clear();
    world.emulator.faults.add({ kind: "cut", rows: 1, next });
    const { code, text } = await world.command(["import", "--all"], stack.workDir);
    expect([code === 0, /\bcut\b|\bpage\b/.test(text)]).toEqual([false, true]);
  }
});

test("each refused entry of a destroy stays in the state, and goes once its advice is followed", async () => {
  const { mutate } = world.emulator;
  const second = (): { provider: Provider } => ({
    provider: new Provider("second", { apiKey: world.emulator.apiKey }),
  });
  const declare =
    (protect: object, tagged: object = protect): Program =>
    () => {
      // Pulumi's own protection would refuse before this package is asked.
      const own = { protect: false };
      const { vpcId } = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1", timeouts: { delete: "3s" } });
      void new Service("inside", { ...SMALL, vpcId, ...protect }, own);
      const { serviceId } = new Service("kept", { ...SMALL, ...protect }, own);
      void new ReadReplicaSet("readers", { serviceId, ...READERS });
      void new Service("tagged", { ...SMALL, ...tagged }, own);
      void new Service("elsewhere", { ...SMALL, ...protect }, { ...second(), ...own });
    };
  const stack = await opened("advice", declare({}));
  stack.program(declare({ deletionProtection: true }, {}));
  await stack.up();
  mutate.service(idOf("advice-tagged-dev"), { environment: "PROD" });
  const before = await held(stack);
  const refused = await textOf(stack.destroy({ continueOnError: true }));
  for (const name of ["protected", "tagged-prod", "owner-protected"]) expect(refused).toContain(`explain ${name}`);
  expect(refused).toContain("Set `deletionProtection: false` in the program and run `pulumi up`");
  expect(await held(stack)).toEqual(before);
  expect(world.calls()).toEqual([]);
  stack.program(declare({ deletionProtection: false }));
  await stack.up({ refresh: true });
  await stack.destroy();
  expect([await held(stack), services(), world.emulator.state().vpcs]).toEqual([[], [], []]);
});
