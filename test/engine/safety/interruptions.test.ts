// What fails for good on the real CLI: after a step in the middle of a create there is one service, and the next up goes on;
// what an inline program does not declare because of an error stays.

import { expect, test } from "vitest";
import { fail, succeed } from "../../support/cliProcess";
import type { Project } from "../../support/cli/project";
import { getServiceOutput, Service } from "../../../provider/index";
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

const names = () => world.emulator.state().services.map(({ name }) => name);

const shop = { poolerEnabled: true, environment: "DEV", password: "a-password-for-the-shop" };

test("a create that fails half-way stays in the state with its id, the completed steps and the reason", async () => {
  const body = { code: "PLAN_LIMIT", message: "no more poolers today" };
  const fault = world.emulator.faults.add({
    operation: "enablePooler",
    kind: "status",
    status: 403,
    body,
    times: Infinity,
  });
  declare({ shop });
  const { text } = await fail(project.pulumi("up --yes --skip-preview"));
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
  expect(text).toMatch(/warning: .*interrupted run: enablePooler, updatePassword/);
  world.calls();
  await succeed(project.pulumi("up --yes --skip-preview"));
  expect(world.calls()).toEqual(["enablePooler", "updatePassword"]);
  const { shop: healed } = await project.resources();
  expect(healed?.initErrors).toBeUndefined();
});

test("destroy deletes everything, half-created resources included", async () => {
  await succeed(project.pulumi("destroy --yes --skip-preview"));
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
