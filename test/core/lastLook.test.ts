// Somebody changes an object between the reads on which a call rests and the call itself, while the call is held back: the
// call is not sent on what is no longer so.

import { describe, expect, test } from "vitest";
import type { Fault, OperationName } from "../../emulator/index";
import { TransportError } from "../../provider/domain/errors";
import { sendChange } from "../../provider/core/send";
import type { Kept } from "../support/world";
import { done, earlier, errorOf, LARGE, MINUTE_MS, NET, setOf, SMALL, useWorld, world } from "./scene";

useWorld();

const HELD_BACK: [string, Fault][] = [
  ["answered 503", { kind: "status", status: 503 }],
  ["answered 429", { kind: "status", status: 429, headers: { "retry-after": "60" } }],
  ["answered 409", { kind: "status", status: 409, body: { code: "CONFLICT", message: "already being updated" } }],
  ["lost on the way", { kind: "lostBefore" }],
];

/** The first call of the operation is held back, and somebody acts meanwhile. */
function holdBack(operation: OperationName, fault: Fault, act: () => unknown): void {
  world.emulator.faults.add({ ...fault, operation });
  world.emulator.faults.add({ kind: "meanwhile", operation, act });
}

describe.each(HELD_BACK)("a delete that is %s", (_, fault) => {
  test.each(["service", "readReplicaSet"] as const)(
    "it is not sent again for a %s whose service is tagged PROD",
    async (kind) => {
      const service = await world.service.create({ name: "orders" });
      const kept = { service, readReplicaSet: await world.readReplicaSet.create(setOf(service)) };
      const operation = kind === "service" ? "deleteService" : "deleteReplicaSet";
      world.nextRun();
      holdBack(operation, fault, () => world.emulator.mutate.service(service.id, { environment: "PROD" }));
      expect((await errorOf(world[kind].remove(kept[kind]))).message).toMatch(/has the environment tag PROD/);
      expect(world.calls()).toEqual([operation]);
      expect(world.emulator.state()).toMatchObject({ services: [{ status: "READY" }], replicaSets: [{}] });
    },
  );

  test("a delete that is held back is not sent again for a VPC to which a service is attached meanwhile", async () => {
    const kept: Kept = await world.vpc.create(NET);
    world.emulator.settings.switches.deleteVpcInUse = "cascade";
    world.nextRun();
    holdBack("deleteVpc", fault, () => world.emulator.mutate.createService({ name: "orders", vpcId: kept.id }));
    expect((await errorOf(world.vpc.remove(kept))).message).toMatch(/in use; nothing was deleted/);
    expect(world.calls()).toEqual(["deleteVpc"]);
    expect(world.emulator.state()).toMatchObject({ vpcs: [{ id: kept.id }], services: [{ vpcId: kept.id }] });
  });
});

const someoneCreates = (): { id: string } => world.emulator.mutate.createService({ name: "orders" });

test("a create is not sent after a list that became old while the server asked for a pause", async () => {
  const { id: vpcId } = await earlier(world.vpc.create(NET));
  world.emulator.faults.add({ kind: "status", status: 429, headers: { "retry-after": "110" }, operation: "getVpc" });
  const created = errorOf(world.service.create({ name: "orders", vpcId }));
  await world.clock.sleep(50_000);
  const { id } = someoneCreates();
  expect((await created).message).toContain(id);
  expect(world.calls()).toEqual([]);
});

test.each(HELD_BACK.slice(1, 2))("a create that is %s is not sent again where somebody does it", async (_, fault) => {
  holdBack("createService", fault, someoneCreates);
  const { message } = await errorOf(world.service.create({ name: "orders" }));
  expect(message).toMatch(/there is already service "orders"/);
  expect(world.calls()).toEqual(["createService"]);
});

const orders = { name: "orders", ...SMALL };

test.each(HELD_BACK.filter(([, fault]) => fault.kind === "status"))(
  "a resize that is %s is not sent again where somebody did it meanwhile",
  async (_, fault) => {
    const kept = await earlier(world.service.create(orders));
    holdBack("resize", fault, () => world.emulator.mutate.service(kept.id, LARGE));
    await done(world.service.update(kept, { ...orders, ...LARGE }));
    expect(world.calls()).toEqual(["resize"]);
  },
);

test("a resize that is held back waits for a change that somebody began meanwhile", async () => {
  const kept = await earlier(world.service.create(orders));
  holdBack("resize", { kind: "status", status: 429, headers: { "retry-after": "60" } }, () =>
    world.emulator.mutate.service(kept.id, { status: "OPTIMIZING" }),
  );
  const updated = done(world.service.update(kept, { ...orders, ...LARGE }));
  await world.clock.sleep(5 * MINUTE_MS);
  expect(world.calls()).toEqual(["resize"]);
  world.emulator.mutate.service(kept.id, { status: "READY" });
  await updated;
  expect(world.calls()).toEqual(["resize"]);
});

test.each([
  ["with nothing sent", 0, "nothing was sent"],
  ["and an attempt without an answer is told", 1, "an earlier attempt got no answer"],
])("a call whose reads never agree ends at the deadline, %s", async (_, attempts, told) => {
  const { clock } = world;
  const startMs = clock.now();
  let reads = 0;
  const never = (): never => {
    throw new Error("it goes no further");
  };
  const lost = new TransportError("deleteVpc", "maybe", "the answer was lost");
  const sent = sendChange(
    {
      deadlineMs: startMs + 60_000,
      session: {
        clock,
        pace: { clock, intervalMs: 1_000, intervalMaxMs: 15_000, random: () => 0 },
        timeScale: 1,
        inTurn: (_options, work) => work({} as never),
      },
      context: { progress: never, signal: new AbortController().signal },
    },
    {
      operation: "deleteVpc",
      label: "VPC net",
      gather: () =>
        Promise.resolve((reads += 1) > attempts ? { is: "again", afterMs: 7_000 } : { is: "go", seen: undefined }),
      look: () => Promise.resolve({ is: "go", seen: undefined }),
      send: () => Promise.reject(lost),
      answered: never,
      refused: never,
      waitWhileBusy: never,
      after: () => Promise.resolve({ is: "again", error: lost, mayRun: true }),
      hold: (work) => work(),
    },
  );
  const { message } = await errorOf(sent);
  expect(message).toMatch(/^deleteVpc of VPC net: not done after 5\d s, because the reads before it never agreed; /);
  expect(message).toContain(told);
  expect(reads - attempts).toBe(9);
});
