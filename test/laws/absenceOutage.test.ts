// While a server shows nothing for some time, no command forgets what is alive: neither a refresh, nor a delete, nor a
// replacement, whatever was accepted, refused or lost meanwhile.

import { describe, expect, test } from "vitest";
import { createRunBus } from "../support/runBus";
import { fault, KINDS, SMALL, underOtherName, useWorld, world } from "../core/scene";
import {
  destroyAll,
  endOf,
  forgotten,
  type Held,
  hide,
  madeOf,
  madeStack,
  make,
  refreshAll,
  refuse404,
} from "./absence";

useWorld();

/** The next command: nothing is remembered of the ones before. */
async function inNextRun<T>(state: readonly Held[], work: (state: readonly Held[]) => Promise<T>): Promise<T> {
  world.nextRun();
  return work(state);
}

/** The next run, whose program still has all but the last of these. */
function declareAllBut(state: readonly Held[]): Held {
  world.nextRun();
  for (const { kind, kept, args } of state.slice(0, -1)) world[kind].preview(kept, args);
  const last = state.at(-1);
  if (last === undefined) throw new Error("it was not made");
  return last;
}

describe.each([20, 50, 300])("an outage of %i s, in which reads answer 404 and lists are empty,", (seconds) => {
  const ms = seconds * 1_000;
  const outage = `an outage of ${seconds} s`;

  test.each(["at once", "one by one"] as const)(
    `${outage} leaves a VPC, a service and a replica set in the state that a refresh reads %s`,
    async (parallel) => {
      const state = await madeStack();
      const left = await inNextRun(state, (all) => {
        hide(ms);
        return refreshAll(all, parallel);
      });
      expect(forgotten(left)).toEqual([]);
    },
  );

  test(`${outage} leaves two services in the state that a refresh reads one by one`, async () => {
    const state = [await make("service", { name: "orders" }), await make("service", { name: "bills" })];
    const left = await inNextRun(state, (all) => {
      hide(ms);
      return refreshAll(all, "one by one");
    });
    expect(forgotten(left)).toEqual([]);
  });

  test(`${outage} leaves what is under two providers in the state, each of which reads a kind`, async () => {
    const [vpc, service, set] = await madeStack();
    if (vpc === undefined || service === undefined || set === undefined) throw new Error("it was not made");
    const other = world.elsewhere(underOtherName());
    const bus = createRunBus();
    for (const process of [world, other]) process.restart(bus.join());
    hide(ms);
    const outcomes = await Promise.allSettled([
      other.vpc.refresh(vpc.kept),
      world.service.refresh(service.kept),
      world.readReplicaSet.refresh(set.kept),
    ]);
    const left = [vpc, service, set].filter((_, at) => {
      const end = outcomes[at];
      return end?.status === "rejected" || end?.value !== undefined;
    });
    expect(forgotten(left)).toEqual([]);
  });

  test(`in ${outage}, a destroy ends only for what it has deleted`, async () => {
    const state = await madeStack();
    const left = await inNextRun(state, (all) => {
      hide(ms);
      return destroyAll(all);
    });
    expect(forgotten(left)).toEqual([]);
  });

  test.each(KINDS)(`in ${outage}, the removal of a %s ends only when that is deleted`, async (kind) => {
    const state = [await make("service", { name: "stays", ...SMALL }), ...(await madeOf(kind))];
    const leaving = declareAllBut(state);
    hide(ms);
    expect(await endOf(leaving)).not.toBe("forgotten");
  });

  test.each(["old", "new"])(
    `in ${outage}, a replacement, the %s one first, ends only when the old one is deleted`,
    async (first) => {
      const old = declareAllBut([await make("service", { name: "stays", ...SMALL }), ...(await madeOf("service"))]);
      const args = { ...old.args, regionCode: "eu-west-1", allowReplace: true };
      expect(world.service.preview(old.kept, args).replaces).toEqual(["regionCode"]);
      if (first === "new") await world.service.create(args);
      else world.service.check(args);
      hide(ms);
      expect(await endOf(old)).not.toBe("forgotten");
    },
  );
});

describe("a few seconds in which also the DELETE answers 404", () => {
  test.each(KINDS.filter((kind) => kind !== "vpc"))(
    "some seconds of 404s, also to the DELETE, leave a %s deleted or in the state",
    async (kind) => {
      const state = await madeOf(kind);
      const [leaving] = state.slice(-1);
      if (leaving === undefined) throw new Error("it was not made");
      if (kind === "service") {
        const args = { ...leaving.args, deletionProtection: false };
        leaving.kept = await world.service.update(leaving.kept, args);
      }
      world.nextRun();
      hide(10_000);
      refuse404(10_000, "deleteService", "deleteReplicaSet", "deletePeering");
      expect(await endOf(leaving)).not.toBe("forgotten");
    },
  );

  test("one 404 to its DELETE and one list without it leave a peering in the state", async () => {
    const [vpc, peering] = await madeOf("peering");
    if (vpc === undefined || peering === undefined) throw new Error("it was not made");
    world.nextRun();
    fault({ kind: "status", status: 404, operation: "deletePeering" });
    fault({ kind: "brownout", ids: [peering.kept.id], operation: "listPeerings", times: 1 });
    expect(await endOf(peering)).not.toBe("forgotten");
  });
});

describe("a delete whose answer is", () => {
  /** From the first DELETE on. */
  function afterDelete(act: () => void): void {
    world.onRequest(({ method }) => {
      if (method !== "DELETE") return;
      world.onRequest(() => undefined);
      act();
    });
  }

  const GARBAGE: [string, unknown][] = [
    ["a page in place of a body", "<html>It works!</html>"],
    ["an empty object", {}],
    ["a list", []],
    ["the words of a refusal", { code: "CONFLICT", message: "busy" }],
  ];

  test.each(GARBAGE)(
    "a delete that is answered 200 with %s, before a brown-out, forgets no service that lives",
    async (_what, body) => {
      const state = await madeOf("service");
      world.nextRun();
      fault({ kind: "garbage", operation: "deleteService", body });
      afterDelete(() => void hide(10_000));
      expect(forgotten(await destroyAll(state))).toEqual([]);
    },
  );

  test("a delete that is answered 202, before the service is missing for 6 s, does not forget it: a list shows it", async () => {
    const state = await madeOf("service");
    world.nextRun();
    fault({ kind: "status", status: 202, body: "", operation: "deleteService", times: 1 });
    afterDelete(() => void hide(6_000, "reads"));
    expect(forgotten(await destroyAll(state))).toEqual([]);
  });
});
