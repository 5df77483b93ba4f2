// What test/laws says of absence, identity and protection, where a user feels it: on the real CLI, what is alive is in the
// state after every command, and what is refused can be mended as the error says.

import { afterEach, describe, expect, test } from "vitest";
import { ReadReplicaSet, Service, Vpc } from "../../provider/index";
import type { InlineStack, Program } from "../support/cli/inlineStack";
import { useEngineWorld, world } from "./world";

const SMALL = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
const READERS = { nodes: 1, cpuMillis: 500, memoryGbs: 2 } as const;

useEngineWorld();

const faults = () => world.emulator.faults;

/** Names of the services that are there and stay. */
const services = (): string[] =>
  world.emulator
    .state()
    .services.filter(({ status }) => status !== "DELETING")
    .map(({ name }) => name);

const idOf = (named: string): string => world.emulator.state().services.find(({ name }) => name === named)?.id ?? "";

/** What is alive and in no state. `others`: what somebody else has. */
async function forgotten(stack: InlineStack, others: readonly string[] = []): Promise<string[]> {
  const held = new Set([...others, ...Object.values(await stack.resources()).map(({ id }) => String(id))]);
  const { vpcs, replicaSets, services: all } = world.emulator.state();
  return [...vpcs, ...replicaSets, ...all].flatMap(({ id, status }) =>
    held.has(id) || /^delet/i.test(status) ? [] : [id],
  );
}

/** What a run says, whether it goes well or fails. */
async function textOf(run: Promise<{ text: string }>): Promise<string> {
  return run.then(({ text }) => text, String);
}

async function opened(project: string, program: Program): Promise<InlineStack> {
  const stack = await world.open(program, { project });
  await stack.up();
  return stack;
}

// Everything that a test has made goes, so that the next one begins with nothing.
afterEach(() => {
  faults().clear();
  const { vpcs, services: all } = world.emulator.state();
  for (const { id } of all) world.emulator.mutate.deleteService(id);
  for (const { id } of vpcs) world.emulator.mutate.deleteVpc(id);
});

test("no command forgets what is alive in an outage, and none creates it a second time", async () => {
  const stack = await opened("outage", () => {
    void new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const { serviceId } = new Service("orders", SMALL);
    void new ReadReplicaSet("readers", { serviceId, ...READERS });
  });
  world.calls();
  for (const command of [() => stack.refresh(), () => stack.up({ refresh: true }), () => stack.destroy()]) {
    // Five minutes, a hundredth of which is real.
    const outage = faults().add({ kind: "brownout", ms: 3_000 });
    await textOf(command());
    expect(await forgotten(stack)).toEqual([]);
    outage.remove();
  }
  expect(world.calls().filter((call) => call.startsWith("create"))).toEqual([]);
});

/** For some reads and lists, whenever they come. */
function brownOut(): void {
  faults().add({ kind: "brownout", operation: "getService", times: 4 });
  faults().add({ kind: "brownout", operation: "listServices", times: 2 });
}

test.each<[how: string, begin: () => void]>([
  [
    "is 404 in the middle of some 404s",
    () => {
      brownOut();
      faults().add({ kind: "status", status: 404, operation: "deleteService" });
    },
  ],
  [
    "cannot be read, before some 404s",
    () => {
      faults().add({ kind: "meanwhile", when: "after", operation: "deleteService", act: brownOut });
      faults().add({ kind: "garbage", body: {}, operation: "deleteService" });
    },
  ],
])("a destroy whose delete has an answer that %s, forgets no service", async (how, begin) => {
  const args = { ...SMALL, deletionProtection: false };
  const stack = await opened(`seconds-${how.length}`, () => void new Service("orders", args));
  begin();
  await textOf(stack.destroy());
  expect(await forgotten(stack)).toEqual([]);
});

describe("a resource that becomes a `get` of another object", () => {
  const becomes = (id: string) => (): void => void Service.get("orders", id);

  test("a resource that becomes a `get` of another object says in the preview that its data go, or deletes nothing", async () => {
    const stack = await opened("became", () => void new Service("orders", SMALL));
    stack.program(becomes(world.emulator.mutate.createService({ name: "other" }).id));
    const { text } = await stack.preview();
    await textOf(stack.up());
    const isSaid = /with its data|EMPTY/.test(text);
    expect([isSaid, services().includes("became-orders-dev")]).not.toEqual([false, false]);
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
    expect(services()).toContain("kept-orders-dev");
    stack.program(declare({ deletionProtection: true, adoptId: id }));
    await stack.up();
    expect(await forgotten(stack, [other])).toEqual([]);
  });
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
  world.emulator.mutate.service(idOf("with-orders-dev"), { environment: "PROD" });
  const refused = await textOf(stack.destroy());
  expect(refused).toMatch(/error: .*PROD/);
  expect(refused).toContain("with-readers-dev");
});

test("protection that comes with a replacement refuses it in the preview, and no row says both", async () => {
  const stack = await opened("guarded", () => void new Service("orders", { ...SMALL, environment: "DEV" }));
  const moved = { ...SMALL, regionCode: "us-west-2", allowReplace: true };
  for (const guard of [{ deletionProtection: true }, { environment: "PROD" }] as const) {
    stack.program(() => void new Service("orders", { ...moved, ...guard }));
    await expect(stack.preview()).rejects.toThrow(/guarded-orders-dev[^]*protected/);
    await expect(stack.up()).rejects.toThrow("protected");
  }
  expect(world.emulator.state().services).toMatchObject([{ regionCode: "us-east-1", environment: "DEV" }]);
});

test("another object under the id of the state is not changed, renamed or deleted, and the errors name the ways out", async () => {
  const stack = await opened("again", () => void new Service("orders", SMALL));
  const id = idOf("again-orders-dev");
  world.emulator.mutate.service(id, { name: "somebody-elses", createdAt: Date.UTC(2027, 0, 1) });
  stack.program(() => void new Service("orders", { ...SMALL, cpuMillis: 1000, memoryGbs: 4 }));
  world.calls();
  for (const command of [() => stack.up(), () => stack.up({ refresh: true }), () => stack.destroy()]) {
    const text = await textOf(command());
    expect(text).toContain("adoptId");
    expect(text).toContain("state delete");
  }
  expect(world.calls()).toEqual([]);
  expect(services()).toEqual(["somebody-elses"]);
  expect(await forgotten(stack)).toEqual([]);
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
    await expect(stack.up()).rejects.toThrow(/answer was lost|unknown/);
    await textOf(stack.up());
    expect(world.calls().filter((call) => call === "createService")).toEqual(["createService"]);
    expect(services()).toEqual(["orders"]);
  } finally {
    world.environment["DBCLOUD_TEST_TIME_SCALE"] = before;
    world.emulator.settings.listLag = {};
  }
});
