// What is missing, on the real CLI: a brown-out, everything gone at once, a new address, a lost create, a late resize.

import { expect, test } from "vitest";
import { fail, succeed } from "../../support/cliProcess";
import type { Project } from "../../support/cli/project";
import { isBuildServer } from "../../support/repeats";
import { useEngineWorld, world } from "../world";

const program = `
const { readFileSync } = require("node:fs");
const { Service } = require("pulumi-dbcloud");
const args = JSON.parse(readFileSync("args.json", "utf8"));
for (const [name, inputs] of Object.entries(args)) new Service(name, inputs);
`;

let project: Project;

useEngineWorld({}, async () => {
  project = await world.project("absence", { "index.js": program });
});

function declare(args: Record<string, object>): void {
  project.write({ "args.json": JSON.stringify(args) });
}

const up = () => project.pulumi("up --yes --skip-preview");
const refresh = () => project.pulumi("refresh --yes --skip-preview");
const kept = async () => Object.keys(await project.resources()).toSorted();

/** The environment of one run. */
async function within<T>(variables: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const before = { ...world.environment };
  Object.assign(world.environment, variables);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(variables)) world.environment[name] = before[name];
  }
}

test("a brown-out makes nothing gone, and nothing is gone all at once unless the user says so", async () => {
  declare({ one: {}, two: {} });
  await succeed(up());
  world.emulator.faults.add({ kind: "brownout", ms: 100, times: Infinity });
  await succeed(refresh());
  expect(await kept()).toEqual(["one", "two"]);
  world.emulator.faults.clear();
  for (const { id } of world.emulator.state().services) world.emulator.mutate.deleteService(id);
  const { projectId } = world.emulator;
  const { text } = await fail(refresh());
  expect(text).toMatch(
    new RegExp(`service absence-two-test.* is too.*shows no service at all[^]*DBCLOUD_BELIEVE_GONE=${projectId}`),
  );
  expect(await kept()).toEqual(["one", "two"]);
  await within({ DBCLOUD_BELIEVE_GONE: projectId }, () => succeed(refresh()));
  expect(await kept()).toEqual([]);
});

test.runIf(isBuildServer)(
  "what is gone at a new address of the deployment stays until the former one is said",
  async () => {
    declare({ moved: {} });
    await succeed(up());
    const { baseUrl } = world.emulator;
    world.emulator.mutate.deleteService(world.emulator.state().services[0]?.id ?? "");
    const renamed = { DBCLOUD_BASE_URL: baseUrl.replace("127.0.0.1", "localhost") };
    const { text } = await within(renamed, () => fail(refresh()));
    expect(text).toContain(`DBCLOUD_FORMER_BASE_URL=${baseUrl}`);
    await within({ ...renamed, DBCLOUD_FORMER_BASE_URL: baseUrl }, () => succeed(refresh()));
    expect(await kept()).toEqual([]);
  },
);

test.runIf(isBuildServer)("a late resize is not still to do after a refresh", async () => {
  const small = { name: "late", cpuMillis: 500, memoryGbs: 2 };
  const large = { ...small, cpuMillis: 1000, memoryGbs: 4, timeouts: { update: "1s" } };
  declare({ late: small });
  await succeed(up());
  world.emulator.faults.add({ kind: "stuck", status: "UPGRADING", operation: "resize" });
  declare({ late: large });
  await fail(up());
  world.emulator.settle();
  await succeed(refresh());
  world.calls();
  const { text } = await succeed(project.pulumi("preview"));
  expect(text).not.toContain("still to do");
  expect(text).not.toContain("cpuMillis");
  await succeed(project.pulumi("destroy --yes --skip-preview"));
});

test("what a lost create took is not destroyed before the program confirms it", async () => {
  const match = (): boolean => world.emulator.mutate.createService({ name: "orders" }).id !== "";
  world.emulator.faults.add({ kind: "lostBefore", operation: "createService", match });
  declare({ orders: { name: "orders" } });
  const { text } = await succeed(up());
  const id = world.emulator.state().services[0]?.id ?? "";
  expect(text).toContain(`adoptId: "${id}"`);
  expect((await fail(project.pulumi("destroy --yes --skip-preview"))).text).toContain("may belong to somebody else");
  declare({ orders: { name: "orders", adoptId: id } });
  await succeed(up());
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(world.emulator.state().services).toEqual([]);
});
