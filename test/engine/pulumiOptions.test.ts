// What users do with Pulumi's own options, on the real engine with the classes: each where it makes a difference.

import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { ReadReplicaSet, Service, Vpc } from "../../provider/index";
import { succeed } from "../support/cliProcess";
import type { InlineStack } from "../support/cli/inlineStack";
import { useEngineWorld, world } from "./world";

const small = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
const large = { ...small, cpuMillis: 1000, memoryGbs: 4 } as const;

useEngineWorld();

async function idsOf(stack: InlineStack): Promise<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(await stack.resources()).map(([name, { id }]) => [name, id]));
}

async function urnOf(stack: InlineStack, name: string): Promise<string> {
  return (await stack.resources())[name]?.urn ?? "";
}

test("renames with aliases and moves between components and stacks cause no change, and only GETs are sent", async () => {
  const { emulator } = world;
  const declare = (net: string, db: string, optionsOf: (before: string) => pulumi.CustomResourceOptions) => {
    const { vpcId } = new Vpc(net, { cidr: "10.0.0.0/24", regionCode: "us-east-1" }, optionsOf("net"));
    const { serviceId } = new Service(db, { ...small, vpcId }, optionsOf("db"));
    void new ReadReplicaSet("readers", { serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 }, optionsOf("readers"));
  };
  const declareInGroup = (more: (before: string) => pulumi.CustomResourceOptions) => () => {
    const parent = new pulumi.ComponentResource("test:index:Group", "group");
    declare("network", "database", (before) => ({ parent, ...more(before) }));
  };
  const stack = await world.open(() => declare("net", "db", () => ({})), { project: "renames" });
  await stack.up();
  const ids = await idsOf(stack);
  const before = emulator.ledger().length;

  stack.program(declareInGroup((name) => ({ aliases: [{ name, parent: pulumi.rootStackResource }] })));
  expect(await stack.preview()).toMatchObject({ steps: [], requests: 0 });
  expect(await stack.up()).toMatchObject({ steps: [], requests: 0 });
  expect(await stack.refresh()).toMatchObject({ calls: [], summary: { same: 5 } });
  expect(await idsOf(stack)).toEqual({ network: ids["net"], database: ids["db"], readers: ids["readers"] });

  // Drift after a rename names the property that moved, and nothing else.
  emulator.mutate.service(ids["db"] ?? "", { poolerEnabled: true, cpuMillis: 1000, memoryGbs: 4 });
  const drifted = await stack.preview({ refresh: true });
  expect(drifted.diffs["database"]?.toSorted()).toEqual(["cpuMillis", "memoryGbs"]);
  emulator.mutate.service(ids["db"] ?? "", { poolerEnabled: false, cpuMillis: 500, memoryGbs: 2 });

  const other = await world.open(() => undefined, { project: "renames", name: "other" });
  await other.up();
  const urns = await Promise.all(["network", "database", "readers"].map((name) => urnOf(stack, name)));
  await succeed(
    world.pulumi(
      ["state", "move", "--yes", "--include-parents", "--source", "dev", "--dest", "other", ...urns],
      stack.workDir,
    ),
  );
  expect(await idsOf(other)).toEqual({ network: ids["net"], database: ids["db"], readers: ids["readers"] });
  other.program(declareInGroup(() => ({})));
  stack.program(() => undefined);
  expect(await other.preview({ refresh: true })).toMatchObject({ steps: [], calls: [] });
  expect(await other.up()).toMatchObject({ steps: [], requests: 0 });
  expect(await stack.preview()).toMatchObject({ steps: [], requests: 0 });
  expect(
    emulator
      .ledger()
      .slice(before)
      .filter(({ by }) => by === "api"),
  ).toEqual([]);
});

test("each resource option does what Pulumi documents, with real databases behind the endpoints", async () => {
  const { emulator } = world;
  const seen: string[] = [];
  const declare = (isProtected: boolean, size: typeof small | typeof large) => () => {
    pulumi.runtime.registerResourceTransform(({ type, props, opts }) =>
      type.endsWith("dbcloud:Service") ? { props: { ...props, environment: "DEV" }, opts } : undefined,
    );
    const hook = new pulumi.ResourceHook("seen", ({ urn, id }) => {
      seen.push(`${urn.split("::").at(-1)} ${id}`);
    });
    const first = new Service("first", size, {
      ignoreChanges: ["cpuMillis", "memoryGbs"],
      hooks: { afterCreate: [hook] },
    });
    const second = new Service("second", size, { dependsOn: first, protect: isProtected });
    const kept = new Service("kept", small, { retainOnDelete: true });
    const readers = { nodes: 1, cpuMillis: size.cpuMillis, memoryGbs: size.memoryGbs };
    void new ReadReplicaSet("beside", { serviceId: second.serviceId, ...readers }, { deletedWith: second });
    void new ReadReplicaSet("replaced", { serviceId: kept.serviceId, ...readers }, { replaceOnChanges: ["cpuMillis"] });
  };
  const stack = await world.open(declare(true, small), { project: "options" });
  await stack.up();
  const ids = await idsOf(stack);
  expect(seen).toEqual([`first ${ids["first"]}`]);
  const services = emulator.state().services.filter(({ id }) => Object.values(ids).includes(id));
  expect(services.map(({ environment }) => environment)).toEqual(["DEV", "DEV", "DEV"]);
  const [created, next] = ["first", "second"].map(
    (name) => emulator.ledger().find(({ id }) => id === ids[name])?.at ?? 0,
  );
  const { queued, create } = emulator.settings.timings;
  expect((next ?? 0) - (created ?? 0)).toBeGreaterThanOrEqual(Number(queued) + Number(create));

  stack.program(declare(true, large));
  const preview = await stack.preview();
  expect([...new Set(preview.steps)].toSorted()).toEqual([
    "create-replacement replaced",
    "delete-replaced replaced",
    "replace replaced",
    "update beside",
    "update second",
  ]);
  const targeted = await stack.up({ target: [await urnOf(stack, "second")] });
  expect(targeted).toMatchObject({ steps: ["update second"], calls: ["resize"] });
  const rest = await stack.up();
  expect(rest.calls.toSorted()).toEqual(["createReplicaSet", "deleteReplicaSet", "resizeReplicaSet"]);
  expect(emulator.state().services.find(({ id }) => id === ids["first"])).toMatchObject({ cpuMillis: 500 });

  const before = emulator.requests().length;
  // Pulumi: it is the preview that stops, so a destroy without one deletes what comes before the protected resource.
  const refused = await world.pulumi(["destroy", "--yes", "--stack", "dev"], stack.workDir);
  expect(refused.code).not.toBe(0);
  expect(refused.out).toContain("it is protected");
  expect(emulator.requests()).toHaveLength(before);
  stack.program(declare(false, large));
  expect(await stack.up()).toMatchObject({ steps: [], requests: 0 });
  const destroyed = await stack.destroy();
  expect(destroyed.calls.toSorted()).toEqual(["deleteReplicaSet", "deleteService", "deleteService"]);
  const left = emulator.state().services.filter(({ id }) => Object.values(ids).includes(id));
  expect(left.map(({ id }) => id)).toEqual([ids["kept"]]);
});

test("a stack reference gives the URL of another stack's database, and it stays a secret", async () => {
  const password = "s3cret-of-the-first-stack";
  const owner = await world.open(
    () => {
      const db = new Service("owned", { ...small, password });
      return { db: db.serviceId, url: db.connectionString() };
    },
    { project: "owner" },
  );
  await owner.up();
  const consumer = await world.open(
    () => {
      const reference = new pulumi.StackReference("organization/owner/dev");
      const serviceId = reference.requireOutput("db") as pulumi.Output<string>;
      void new ReadReplicaSet("readers", { serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 });
      return { url: reference.requireOutput("url") };
    },
    { project: "consumer" },
  );
  const up = await consumer.up();
  expect(up.calls).toEqual(["createReplicaSet"]);
  expect((await consumer.stack.outputs())["url"]).toMatchObject({ secret: true });
  for (const text of [owner.text(), consumer.text(), up.text]) expect(text).not.toContain(password);
  expect(await consumer.preview()).toMatchObject({ steps: [], requests: 0 });
});
