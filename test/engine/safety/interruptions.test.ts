// What fails and what is missing, on the real CLI: after a step in the middle of a create there is one service, and the next
// up goes on; everything gone at once; and what an inline program does not declare because of an error stays, and so does what
// an error hook tries again.

import { ErrorHook } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { type Environment, fail, succeed } from "../../support/cliProcess";
import type { Project } from "../../support/cli/project";
import { getServiceOutput, Service } from "../../../provider/index";
import { Service as NativeService } from "../../../provider/native";
import { useEngineWorld, world } from "../world";

const program = `
const { readFileSync } = require("node:fs");
const { Service } = require("pulumi-dbcloud");
const args = JSON.parse(readFileSync("args.json", "utf8"));
for (const [name, inputs] of Object.entries(args)) new Service(name, inputs);
`;

let project: Project;

useEngineWorld({}, async () => {
  project = await world.project("interruptions", { "index.js": program });
});

function declare(args: Record<string, object>): void {
  project.write({ "args.json": JSON.stringify(args) });
}

const up = () => project.pulumi("up --yes --skip-preview");
const destroy = () => project.pulumi("destroy --yes --skip-preview");
const names = () => world.emulator.state().services.map(({ name }) => name);

const shop = { poolerEnabled: true, environment: "DEV", password: "a-password-for-the-shop" };

test("a create that fails half-way stays in the state with its id, the completed steps and the reason", async () => {
  const body = { code: "PLAN_LIMIT", message: "no more poolers today" };
  const refusal = { kind: "status", status: 403, body, times: Infinity } as const;
  const fault = world.emulator.faults.add({ ...refusal, operation: "enablePooler" });
  declare({ shop });
  const { text } = await fail(up());
  fault.remove();
  expect(text).toContain("Service shop **creating failed**");
  expect(text).toContain("service interruptions-shop-test");
  expect(text).toContain("403 PLAN_LIMIT no more poolers today");
  expect(text).toContain("failed: enablePooler");
  expect(text).toContain("not tried: updatePassword");
  expect(text).not.toContain(shop.password);
  const { shop: kept } = await project.resources();
  expect(kept?.id).toBe(world.emulator.state().services[0]?.id);
  expect(kept?.initErrors?.join()).toContain("enablePooler");
  expect(kept?.outputs).toMatchObject({ name: "interruptions-shop-test", status: "READY", poolerEnabled: false });
});

test("the next preview shows the owed steps on the row, and the next up performs only these", async () => {
  const { text } = await succeed(project.pulumi("preview"));
  expect(text).toMatch(/warning: .*still to do after an interrupted run: enablePooler, updatePassword$/m);
  expect(text).not.toContain("interrupted run sent");
  world.calls();
  await succeed(up());
  expect(world.calls()).toEqual(["enablePooler", "updatePassword"]);
  const { shop: healed } = await project.resources();
  expect(healed?.initErrors).toBeUndefined();
});

test("destroy deletes everything, half-created resources included", async () => {
  await succeed(destroy());
  expect(names()).toEqual([]);
});

test("an inline program whose look-up fails deletes nothing that the error kept it from declaring", async () => {
  let source: string | undefined;
  const stack = await world.open(
    () =>
      void new Service(
        "shop",
        source === undefined ? {} : { regionCode: getServiceOutput({ name: source }).regionCode },
      ),
    { project: "lookups" },
  );
  await stack.up();
  world.calls();
  source = "missing";
  await expect(stack.up()).rejects.toThrow("the program has failed, so nothing is deleted");
  await expect(stack.up({ continueOnError: true })).rejects.toThrow("the program has failed, so nothing is deleted");
  expect([world.calls(), names()]).toEqual([[], ["lookups-shop-dev"]]);
});

const refresh = (more: Environment = {}) => project.pulumi("refresh --yes --skip-preview", more);
const kept = async () => Object.keys(await project.resources()).toSorted();

test("nothing is gone all at once unless the user says so", async () => {
  declare({ one: {}, two: {} });
  await succeed(up());
  for (const { id } of world.emulator.state().services) world.emulator.mutate.deleteService(id);
  const { projectId } = world.emulator;
  const { text } = await fail(refresh());
  expect(text).toMatch(
    new RegExp(`is missing, and project ${projectId} shows no service at all[^]*DBCLOUD_BELIEVE_GONE=${projectId}`),
  );
  expect(await kept()).toEqual(["one", "two"]);
  await succeed(refresh({ DBCLOUD_BELIEVE_GONE: projectId }));
  expect(await kept()).toEqual([]);
});

test("an error hook that repeats a create goes on with its object, in both forms, and never leaves less in the state", async () => {
  // The first two creates fail half-way once, the third one twice.
  const ends = [403, 200, 403, 200, 403, 403];
  const fault = world.emulator.faults.add({
    kind: "status",
    status: 403,
    times: Infinity,
    match: ({ operation }) => operation === "enablePooler" && ends.shift() === 403,
  });
  const stack = await world.open(
    () => {
      const again = new ErrorHook("again", ({ errors }) => errors.length < 2);
      const hooks = { onError: [again] };
      const args = (name: string) => ({ name, poolerEnabled: true });
      const dynamic = new Service("dynamic", args("dynamic"), { hooks });
      const native = new NativeService("native", args("native"), { hooks, dependsOn: dynamic });
      void new Service("twice", args("twice"), { hooks, dependsOn: native });
    },
    { project: "hooks" },
  );
  await expect(stack.up()).rejects.toThrow("failed: enablePooler");
  fault.remove();
  const made = world.emulator.state().services.map(({ name, id }) => [name, id] as const);
  const saved = Object.entries(await stack.resources()).map(([name, { id }]) => [name, id] as const);
  const ofThis = made.filter(([name]) => ["dynamic", "native", "twice"].includes(name));
  expect(Object.fromEntries(saved)).toEqual(Object.fromEntries(ofThis));
  expect(ofThis).toHaveLength(3);
  expect((await stack.up()).calls).toEqual(["enablePooler"]);
});

test("a stack with the state of another one says so, in both forms, and what the destroy of the copy deletes", async () => {
  const copies = await world.project("copies", {
    "index.js": `
new (require("pulumi-dbcloud").Service)("dynamic");
new (require("pulumi-dbcloud/native").Service)("native");
`,
  });
  const pulumi = (args: string) => succeed(copies.pulumi(args));
  await pulumi("up --yes --skip-preview");
  const { out: original } = await pulumi("stack export");
  const rewritten = original.replaceAll("urn:pulumi:test::", "urn:pulumi:copy::");
  copies.write({ "original.json": original, "rewritten.json": rewritten });
  const named = "name different stacks: copies/copy and copies/test";
  await pulumi("stack init copy");
  await pulumi("stack import --file rewritten.json");
  const [, diagnostics = ""] = (await pulumi("preview")).text.split("Diagnostics:");
  expect(diagnostics.split(named)).toHaveLength(3);
  expect((await pulumi("refresh --yes --skip-preview")).text).toContain(named);
  await pulumi("stack import --file original.json --force");
  expect((await pulumi("up --yes --skip-preview")).text).toContain(named);
});
