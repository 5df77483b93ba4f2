// One id twice in the state, live and "to be deleted", on the real engine: a forced replacement, the failure of a program
// after one, adoption, refresh, and the ways that the error of a taken name offers. The only objects that go are those that
// were meant to.

import { expect, test, vi } from "vitest";
import { Service, type ServiceArgs } from "../../../provider/index";
import { failureOf } from "../../support/client";
import { useEngineWorld, world } from "../world";

// Some fifteen runs of the CLI, of three seconds each on an idle machine.
vi.setConfig({ testTimeout: 10 * 60_000 });

useEngineWorld();

const deleted = (): string[] => world.emulator.ledger().flatMap(({ event, id }) => (event === "deleted" ? [id] : []));
const there = (): string[] => world.emulator.state().services.map(({ id }) => id);

test("with two entries for one database, no command and no advice loses the database", async () => {
  const declare =
    (args: ServiceArgs, isBroken = false) =>
    () => {
      const db = new Service("db", { name: "db", regionCode: "us-east-1", ...args });
      if (isBroken) throw new Error("the program fails");
      return { url: db.connectionString() };
    };
  const stack = await world.open(declare({}), { project: "trap" });
  /** What the state holds, in its order: the id of the live entry, and `pending ID` of what is to be deleted. */
  const entries = (): string[] => {
    const own = (stack.state().deployment.resources ?? []).filter(({ type }) => type.includes("dynamic/dbcloud:"));
    return own.map(({ id, delete: isPending }) => `${isPending ? "pending " : ""}${id}`);
  };
  await stack.up();
  const [id = ""] = entries();
  const urn = (await stack.resources())["db"]?.urn ?? "";
  const forced = { replace: [urn] };

  const refused = String(await failureOf(stack.up(forced)));
  expect(refused).toContain(`there is already service "db" (${id}`);
  expect(refused).toContain("`allowDuplicateName: true`");

  // A refresh in the same process shows the object, with its password: it is kept.
  expect(await stack.up({ ...forced, refresh: true, adopt: id })).toMatchObject({ calls: [] });
  expect(entries()).toEqual([id]);

  // Against the advice: adopted by its own replacement, and then the program fails.
  expect(String(await failureOf(stack.up({ ...forced, adopt: id })))).toContain("`password`");
  stack.program(declare({ password: "a-password-1" }, true));
  await failureOf(stack.up());
  await stack.refresh();
  expect(entries()).toEqual([id, `pending ${id}`]);
  expect(there()).toEqual([id]);
  stack.program(declare({ password: "a-password-1" }));
  const healed = await stack.up({ refresh: true });
  expect(healed.text).toContain(`service db (${id}) is kept`);
  expect(healed.calls).not.toContain("deleteService");
  expect(entries()).toEqual([id]);
  expect(deleted()).toEqual([]);
  expect(await stack.preview()).toMatchObject({ steps: [] });

  // The ways that the error offers for a forced replacement.
  stack.program(declare({ password: "a-password-1", allowDuplicateName: true }));
  await stack.up(forced);
  const [second = ""] = entries();
  expect([there(), deleted()]).toEqual([[second], [id]]);
  stack.program(declare({ password: "a-password-1", name: "db-2" }));
  await stack.up({ ...forced, target: [urn] });
  const [third = ""] = entries();
  expect([there(), deleted()]).toEqual([[third], [id, second]]);

  // With two entries of one id, what is taken out of the program goes all the same.
  stack.program(declare({ name: "db-2" }));
  await failureOf(stack.up({ ...forced, adopt: third }));
  expect(entries()).toEqual([third, `pending ${third}`]);
  stack.program(() => undefined);
  await stack.up({ refresh: true });
  expect(entries()).toEqual([]);
  expect(deleted()).toEqual([id, second, third]);
});
