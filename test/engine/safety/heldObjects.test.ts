// One id twice in the state, live and "to be deleted", on the real engine: forced replacements, the failure of a program
// after one, adoption, refresh, and every way on that the error of a taken name offers. Whatever the state names at the
// end of a command is alive on the server; the only objects that go are those that were meant to.

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Peering, Service, Vpc, type ServiceArgs } from "../../../provider/index";
import { succeed } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import type { InlineStack, Run } from "../../support/cli/inlineStack";

const REGION = { regionCode: "us-east-1" } as const;

// Some twenty runs of the CLI, of three seconds each on an idle machine.
vi.setConfig({ testTimeout: 10 * 60_000 });

let world: EngineWorld;

beforeAll(async () => {
  world = await openEngineWorld();
});

afterAll(() => world.close());

/** What the state holds, in its order: `db svc1234567`, and `db svc1234567 pending` for what is to be deleted. */
function entriesOf(stack: InlineStack): string[] {
  const own = (stack.state().deployment.resources ?? []).filter(({ type }) => type.includes("dynamic/dbcloud:"));
  return own.map(({ urn, id, delete: isPending }) => `${urn.split("::").at(-1)} ${id}${isPending ? " pending" : ""}`);
}

/** Ids of everything that the state names are on the server. */
function expectAlive(stack: InlineStack): void {
  const { services, vpcs, peerings } = world.emulator.state();
  const there = new Set([...services, ...vpcs, ...peerings].map(({ id }) => id));
  const named = entriesOf(stack).map((entry) => entry.split(" ")[1] ?? "");
  expect(named.filter((id) => !there.has(id))).toEqual([]);
}

function deleted(): string[] {
  return world.emulator.ledger().flatMap(({ event, id }) => (event === "deleted" ? [id] : []));
}

/** Of the entry that is not about to be deleted. */
function idOf(stack: InlineStack, name: string): string {
  const live = entriesOf(stack).find((entry) => entry.startsWith(`${name} `) && !entry.endsWith(" pending"));
  return live?.split(" ")[1] ?? "";
}

async function urnOf(stack: InlineStack, name: string): Promise<string> {
  return (await stack.resources())[name]?.urn ?? "";
}

async function adopting<T>(id: string, stack: InlineStack, work: () => Promise<T>): Promise<T> {
  const { envVars } = stack.stack.workspace;
  envVars["DBCLOUD_ADOPT"] = id;
  try {
    return await work();
  } finally {
    delete envVars["DBCLOUD_ADOPT"];
  }
}

/** The text of a run that must fail. */
async function failure(run: Promise<Run>): Promise<string> {
  return run.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => String(error),
  );
}

test("with two entries for one database, no command and no advice loses the database", async () => {
  const declare =
    (args: ServiceArgs, isBroken = false) =>
    () => {
      const db = new Service("db", { name: "db", ...REGION, ...args });
      if (isBroken) throw new Error("the program fails");
      return Promise.resolve({ url: db.connectionString() });
    };
  const stack = await world.open(declare({}), { project: "trap" });
  await stack.up();
  const [id, urn] = [idOf(stack, "db"), await urnOf(stack, "db")];

  for (const options of [{ replace: [urn] }, { replace: [urn], target: [urn] }]) {
    const text = await failure(stack.up(options));
    expect(text).toContain(`there is already service "db" (${id}`);
    expect(text).toMatch(/To have a new one .*: another `name` or `allowDuplicateName: true`/);
    expect(text).not.toContain("does not know");
  }
  await succeed(world.pulumi(["state", "taint", urn, "--yes", "--stack", "dev"], stack.workDir));
  expect(await failure(stack.up())).toContain("To go on with this one");
  await succeed(world.pulumi(["state", "untaint", urn, "--yes", "--stack", "dev"], stack.workDir));

  // A refresh in the same process shows the object, with its password: it is kept.
  const kept = await adopting(id, stack, () => stack.up({ replace: [urn], refresh: true }));
  expect(kept.calls).toEqual([]);
  expect(entriesOf(stack)).toEqual([`db ${id}`]);

  // Against the advice: adopted by its own replacement, and then the program fails.
  expect(await adopting(id, stack, () => failure(stack.up({ replace: [urn] })))).toContain("set `password`");
  expect(entriesOf(stack)).toEqual([`db ${id}`, `db ${id} pending`]);
  stack.program(declare({ password: "a-password-1" }, true));
  await failure(stack.up());
  await stack.refresh();
  expectAlive(stack);
  expect(entriesOf(stack)).toEqual([`db ${id}`, `db ${id} pending`]);
  stack.program(declare({ password: "a-password-1" }));
  const healed = await stack.up({ refresh: true });
  expect(healed.text).toContain(`service db (${id}) is kept: db of this program has it`);
  expect(healed.calls).not.toContain("deleteService");
  expect(entriesOf(stack)).toEqual([`db ${id}`]);
  expect(deleted()).toEqual([]);
  expect(await stack.preview()).toMatchObject({ steps: [] });

  // The ways that the error offers for a forced replacement.
  stack.program(declare({ password: "a-password-1", allowDuplicateName: true }));
  await stack.up({ replace: [urn] });
  const second = idOf(stack, "db");
  expect(deleted()).toEqual([id]);
  expectAlive(stack);
  stack.program(declare({ password: "a-password-1", name: "db-2" }));
  await stack.up({ replace: [urn], target: [urn] });
  const third = idOf(stack, "db");
  expect(deleted()).toEqual([id, second]);
  expectAlive(stack);

  // With two entries of one id, what is taken out of the program goes all the same.
  stack.program(declare({ name: "db-2" }));
  await adopting(third, stack, () => failure(stack.up({ replace: [urn] })));
  expect(entriesOf(stack)).toEqual([`db ${third}`, `db ${third} pending`]);
  stack.program(() => Promise.resolve({}));
  await stack.up({ refresh: true });
  expect(entriesOf(stack)).toEqual([]);
  expect(deleted()).toEqual([id, second, third]);
});

test("a name that an unfinished replacement has to free, adoption in a preview, and kinds that have no duplicates", async () => {
  const free = { ...REGION, allowReplace: true, deletionProtection: false };
  const start = deleted().length;
  const stack = await world.open(
    () => {
      void new Service("first", { name: "orders", ...free });
      return Promise.resolve({});
    },
    { project: "names" },
  );
  await stack.up();
  const old = idOf(stack, "first");
  const moved = { ...free, name: "orders-eu", regionCode: "eu-west-1" };
  stack.program(() => {
    const first = new Service("first", moved);
    return Promise.resolve({
      broken: first.id.apply(() => {
        throw new Error("the program fails");
      }),
    });
  });
  await failure(stack.up());
  const next = idOf(stack, "first");
  expect(entriesOf(stack)).toEqual([`first ${next}`, `first ${old} pending`]);
  const both = (args: ServiceArgs) => () => {
    void new Service("first", moved);
    void new Service("second", { name: "orders", ...REGION, ...args });
    return Promise.resolve({});
  };
  stack.program(both({}));
  const text = await failure(stack.up());
  expect(text).toMatch(/new one .* in its place.*`allowDuplicateName: true`/);
  stack.program(both({ allowDuplicateName: true }));
  await stack.up();
  expect(deleted().slice(start)).toEqual([old]);
  expect(entriesOf(stack)).toHaveLength(2);
  expectAlive(stack);

  // What exists is adopted: the preview says so, and where the password will be missing.
  const { id: found } = world.emulator.mutate.createService({ name: "found" });
  const adopt = (password?: string) => () => {
    const there = new Service("there", { ...REGION, adoptId: found, ...(password === undefined ? {} : { password }) });
    return Promise.resolve({ url: there.connectionString() });
  };
  const adoption = await world.open(adopt(), { project: "found" });
  expect(await failure(adoption.preview())).toContain("the service is adopted, and its password is not known here");
  adoption.program(adopt("a-password-2"));
  const preview = await adoption.preview();
  expect(preview.text).toContain(`adoptId: the existing service "${found}" is adopted and changed in place`);
  expect(preview.text).toContain("because the program gives no `name`");
  const up = await adoption.up();
  expect(up.text).toMatch(/adopting service "found".*changing it in place: rename.*updatePassword/);
  expectAlive(adoption);

  // A VPC gets another name for one run; a peering has none, and goes first.
  const network = (name: string) => () => {
    const net = new Vpc("net", { cidr: "10.0.0.0/24", ...REGION, name });
    const peer = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
    void new Peering("peer", { vpcId: net.vpcId, ...peer }, { deleteBeforeReplace: true });
    return Promise.resolve({});
  };
  const nets = await world.open(network("net"), { project: "nets" });
  await nets.up();
  const [net, peer] = [idOf(nets, "net"), idOf(nets, "peer")];
  await nets.up({ replace: [await urnOf(nets, "peer")], target: [await urnOf(nets, "peer")] });
  expect(idOf(nets, "peer")).not.toBe(peer);
  expect(await failure(nets.up({ replace: [await urnOf(nets, "net")] }))).toContain(
    "To have a new one beside it or in its place",
  );
  nets.program(network("net-2"));
  await nets.up({ replace: [await urnOf(nets, "net")] });
  expect(idOf(nets, "net")).not.toBe(net);
  expectAlive(nets);
  await nets.destroy();
  expect(world.emulator.state().vpcs).toEqual([]);
});
