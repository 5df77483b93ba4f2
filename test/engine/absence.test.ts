// What test/laws says of absence and protection, where the engine itself has a part in it: several providers, a `get`,
// `deletedWith`, and what one run has noted for the next one. What is alive is in the state after every command, and what is
// refused can be mended as the error says.

import { afterEach, expect, test } from "vitest";
import { Provider, ReadReplicaSet, Service, Vpc } from "../../provider/index";
import type { InlineStack, Program } from "../support/cli/inlineStack";
import { held, opened, removeAll, textOf, useEngineWorld, world } from "./world";

const SMALL = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
const READERS = { nodes: 1, cpuMillis: 500, memoryGbs: 2 } as const;
const NET = { cidr: "10.0.0.0/24", regionCode: "us-east-1" } as const;

useEngineWorld();

const faults = () => world.emulator.faults;

/** What is alive and stays. */
function alive(): { id: string; name: string }[] {
  const { vpcs, services, replicaSets } = world.emulator.state();
  return [...vpcs, ...services, ...replicaSets].filter(({ status }) => !/^delet/i.test(status));
}

const idOf = (named: string): string => alive().find(({ name }) => name === named)?.id ?? "";

/** What is alive and in no state. `others`: what somebody else has. */
async function forgotten(stack: InlineStack, others: readonly string[] = []): Promise<string[]> {
  const ids = new Set([...others, ...Object.values(await stack.resources()).map(({ id }) => String(id))]);
  return alive().flatMap(({ id }) => (ids.has(id) ? [] : [id]));
}

// Everything that a test has made goes, so that the next one begins with nothing.
afterEach(removeAll);

/** Of this stack, by an explicit provider. */
const bySecond = (): { provider: Provider } => ({
  provider: new Provider("second", { apiKey: world.emulator.apiKey }),
});

const MOVED = { regionCode: "us-west-2", allowReplace: true } as const;

test("no command forgets what is alive in an outage, under any provider, and none creates it a second time", async () => {
  const stack = await opened("outage", () => {
    void new Vpc("net", NET);
    const { serviceId } = new Service("orders", SMALL);
    void new ReadReplicaSet("readers", { serviceId, ...READERS });
    const second = bySecond();
    for (const name of ["removed", "replaced"]) void new Service(name, SMALL, second);
  });
  const replacing = (): void => {
    const { serviceId } = new Service("orders", { ...SMALL, ...MOVED });
    void new ReadReplicaSet("readers", { serviceId, ...READERS });
    void new Service("replaced", { ...SMALL, ...MOVED, name: "moved" }, bySecond());
  };
  const commands = [
    () => stack.refresh({ parallel: 1 }),
    () => stack.up({ refresh: true, parallel: 1 }),
    () => stack.destroy({ continueOnError: true }),
  ];
  for (const command of commands) {
    // Five minutes, a hundredth of which is real.
    const outage = faults().add({ kind: "brownout", ms: 3_000 });
    await textOf(command());
    expect(await forgotten(stack)).toEqual([]);
    outage.remove();
  }
  expect(world.calls().filter((call) => call.startsWith("create"))).toEqual([]);
  stack.program(replacing);
  const outage = faults().add({ kind: "brownout", ms: 4_000 });
  await textOf(stack.up({ continueOnError: true }));
  outage.remove();
  expect(await forgotten(stack)).toEqual([]);
});

const becomes = (id: string) => (): void => void Service.get("orders", id);

test("a resource that becomes a `get` of another object says in the preview that its data go, or deletes nothing", async () => {
  const stack = await opened("became", () => void new Service("orders", SMALL));
  stack.program(becomes(world.emulator.mutate.createService({ name: "other" }).id));
  const { text } = await stack.preview();
  await textOf(stack.up());
  const isSaid = /with its data|EMPTY/.test(text);
  expect([isSaid, idOf("became-orders-dev") !== ""]).not.toEqual([false, false]);
});

test("a resource that becomes a `get` keeps what is protected, and its error brings the entry back", async () => {
  // Pulumi's own protection would refuse before this package is asked.
  const declare = (more: object) => (): void => void new Service("orders", { ...SMALL, ...more }, { protect: false });
  const stack = await opened("kept", declare({ deletionProtection: true }));
  const id = idOf("kept-orders-dev");
  const other = world.emulator.mutate.createService({ name: "other" }).id;
  stack.program(becomes(other));
  const refused = await textOf(stack.up());
  expect(refused).toContain(`adoptId: "${id}"`);
  expect(idOf("kept-orders-dev")).toBe(id);
  stack.program(declare({ deletionProtection: true, adoptId: id }));
  await stack.up();
  expect(await forgotten(stack, [other])).toEqual([]);
});

test("a replica set with `deletedWith` is warned of, and named by the refusal that leaves it running in no state", async () => {
  const stack = await world.open(
    () => {
      const orders = new Service("orders", SMALL);
      void new ReadReplicaSet("readers", { serviceId: orders.serviceId, ...READERS }, { deletedWith: orders });
    },
    { project: "with" },
  );
  expect((await stack.up()).text).toMatch(/readers: with `deletedWith`/);
  const id = idOf("with-orders-dev");
  world.emulator.mutate.service(id, { environment: "PROD" });
  const refused = await textOf(stack.destroy());
  expect(refused).toMatch(/error: .*PROD/);
  expect(refused).toContain("with-readers-dev");
  world.emulator.mutate.service(id, { environment: "DEV" });
  const body = { code: "CONFLICT", message: "the service has read replica sets" };
  faults().add({ kind: "status", status: 409, body, operation: "deleteService", times: Infinity });
  expect(await textOf(stack.destroy())).toContain("with-readers-dev");
  faults().clear();
  stack.program(() => void new Service("kept", { ...SMALL, name: "with-orders-dev", adoptId: id }));
  const { text, calls } = await stack.up();
  expect([calls, text]).toEqual([[], expect.stringContaining("with-readers-dev")]);
});

test("a lost create whose object shows late is not posted again by the next up", async () => {
  const before = world.environment["DBCLOUD_TEST_TIME_SCALE"];
  // Two commands of the CLI take longer than a hundredth of these times.
  world.environment["DBCLOUD_TEST_TIME_SCALE"] = "0.2";
  world.emulator.settings.listLag = { ms: 12_000 };
  faults().add({ kind: "lostAfter", operation: "createService" });
  try {
    const args = { ...SMALL, name: "orders", timeouts: { create: "2s" } };
    const stack = await world.open(() => void new Service("orders", args), { project: "late" });
    world.calls();
    await expect(stack.up()).rejects.toThrow(/answer was lost|unknown/);
    expect(await textOf(stack.up())).toMatch(
      /an earlier run sent a create of it at 20.*nothing was sent[^]*Give it .* more with `timeouts.create`/,
    );
    expect(world.calls().filter((call) => call === "createService")).toEqual(["createService"]);
    expect(alive().map(({ name }) => name)).toEqual(["orders"]);
  } finally {
    world.environment["DBCLOUD_TEST_TIME_SCALE"] = before;
    world.emulator.settings.listLag = {};
  }
});

test("each refused entry of a destroy stays in the state, and goes once its advice is followed", async () => {
  const declare =
    (protect: object, tagged: object = protect): Program =>
    () => {
      // Pulumi's own protection would refuse before this package is asked.
      const own = { protect: false };
      const { vpcId } = new Vpc("net", { ...NET, timeouts: { delete: "3s" } });
      void new Service("inside", { ...SMALL, vpcId, ...protect }, own);
      const { serviceId } = new Service("kept", { ...SMALL, ...protect }, own);
      void new ReadReplicaSet("readers", { serviceId, ...READERS });
      void new Service("tagged", { ...SMALL, ...tagged }, own);
      void new Service("elsewhere", { ...SMALL, ...protect }, { ...bySecond(), ...own });
    };
  const stack = await opened("advice", declare({}));
  stack.program(declare({ deletionProtection: true }, {}));
  await stack.up();
  world.emulator.mutate.service(idOf("advice-tagged-dev"), { environment: "PROD" });
  const before = await held(stack);
  const refused = await textOf(stack.destroy({ continueOnError: true }));
  for (const name of ["protected", "tagged-prod", "owner-protected"]) expect(refused).toContain(`explain ${name}`);
  expect(refused).toContain("Set `deletionProtection: false` in the program and run `pulumi up`");
  expect(await held(stack)).toEqual(before);
  expect(world.calls()).toEqual([]);
  stack.program(declare({ deletionProtection: false }));
  await stack.up({ refresh: true });
  await stack.destroy();
  expect([await held(stack), alive()]).toEqual([[], []]);
});
