// Several accounts and projects in one program: whose key goes where, what the state keeps of it, and what a new key
// touches.

import * as pulumi from "@pulumi/pulumi";
import { afterAll, expect, test, vi } from "vitest";
import { getServiceOutput, Provider, ReadReplicaSet, Service, Vpc } from "../../provider/index";
import type { InlineStack } from "../support/cli/inlineStack";
import { useEngineWorld, world } from "./world";
import { TWO_PROJECTS } from "../support/client";

const keys = {
  first: "key-of-the-first-account",
  second: "key-of-the-second-account",
  renewed: "key-of-the-second-account-renewed",
  user: "key-of-a-user-of-all",
};

let stack: InlineStack;

useEngineWorld(
  {
    apiKey: keys.first,
    projects: [...TWO_PROJECTS, { id: "proj000003", name: "third" }],
    callers: [
      { token: keys.second, kind: "pat", projectId: "proj000002" },
      { token: keys.user, kind: "oauth" },
      { token: keys.renewed, kind: "pat", projectId: "proj000002" },
    ],
  },
  async () => {
    // Functions run in the program's own process, which is this one.
    vi.stubEnv("DBCLOUD_BASE_URL", world.emulator.baseUrl);
    stack = await world.open(() => undefined, { project: "accounts" });
  },
);

afterAll(() => void vi.unstubAllEnvs());

/** Default, two explicit ones, one of them by a component, and a project of its own for one resource. */
function accounts(secondKey: pulumi.Input<string>) {
  return () => {
    const second = new Provider("second", { apiKey: secondKey });
    const user = new Provider("user", {
      apiKey: pulumi.secret(keys.user),
      projectId: "proj000003",
      pollInterval: "5ms",
    });
    const own = new Service("own", { regionCode: "us-east-1" });
    const group = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: [second] });
    const theirs = new Service("theirs", { regionCode: "us-east-1" }, { parent: group });
    void new ReadReplicaSet(
      "readers",
      { serviceId: theirs.serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 },
      { parent: group },
    );
    void new Vpc("third", { cidr: "10.3.0.0/24", regionCode: "us-east-1" }, { provider: user });
    void new Vpc(
      "elsewhere",
      { cidr: "10.1.0.0/24", regionCode: "us-east-1", projectId: "proj000001" },
      { provider: user },
    );
    const found = getServiceOutput({ serviceId: theirs.serviceId }, { provider: second });
    return { own: own.projectId, theirs: theirs.projectId, found: found.name };
  };
}

/** Which caller asked for which project; the question which projects there are names none. */
function callersByProject(from: number): Record<string, string[]> {
  const asked = world.emulator.requests().slice(from);
  const projects = asked.map(({ caller, path }) => ({ caller, project: /^\/projects\/([^/]+)/.exec(path)?.[1] }));
  const pairs = new Set(
    projects.flatMap(({ caller, project }) => (project === undefined ? [] : `${caller} ${project}`)),
  );
  const byCaller: Record<string, string[]> = {};
  for (const pair of [...pairs].toSorted()) {
    const [caller = "", project = ""] = pair.split(" ");
    byCaller[caller] = [...(byCaller[caller] ?? []), project];
  }
  return byCaller;
}

test("each request carries the key of its own provider, and the state holds no key in plain text", async () => {
  stack.program(accounts(keys.second));
  const up = await stack.up();
  expect(up.summary).toMatchObject({ create: 9 });
  expect(await stack.stack.outputs()).toMatchObject({
    own: { value: "proj000001" },
    theirs: { value: "proj000002" },
    found: { value: "accounts-theirs-dev" },
  });
  expect(callersByProject(0)).toEqual({
    "pat-0": ["proj000001"],
    "pat-1": ["proj000002"],
    "oauth-2": ["proj000001", "proj000003"],
  });
  const { vpcs, services } = world.emulator.state();
  expect(services.map(({ name, projectId }) => `${name} ${projectId}`).toSorted()).toEqual([
    "accounts-own-dev proj000001",
    "accounts-theirs-dev proj000002",
  ]);
  expect(vpcs.map(({ name, projectId }) => `${name} ${projectId}`).toSorted()).toEqual([
    "accounts-elsewhere-dev proj000001",
    "accounts-third-dev proj000003",
  ]);
  const text = stack.text();
  for (const key of Object.values(keys)) {
    expect(text).not.toContain(key);
    expect(up.text).not.toContain(key);
  }
});

test("a new key updates the provider and no resource, and a key in the environment does not replace that of an explicit provider", async () => {
  world.environment["DBCLOUD_API_KEY"] = keys.user;
  world.environment["DBCLOUD_PROJECT_ID"] = "proj000001";
  stack = await world.open(accounts(pulumi.secret(keys.renewed)), { project: "accounts", workDir: stack.workDir });
  const rotation = await stack.up();
  expect(rotation).toMatchObject({ steps: [], calls: [], summary: { update: 1 } });
  const from = world.emulator.requests().length;
  await stack.refresh();
  expect(callersByProject(from)).toEqual({ "pat-3": ["proj000002"], "oauth-2": ["proj000001", "proj000003"] });
  for (const key of Object.values(keys)) expect(stack.text()).not.toContain(key);
});

test("destroy uses the key of each provider", async () => {
  const from = world.emulator.requests().length;
  const destroyed = await stack.destroy();
  expect(destroyed.calls.toSorted()).toEqual([
    "deleteReplicaSet",
    "deleteService",
    "deleteService",
    "deleteVpc",
    "deleteVpc",
  ]);
  expect(callersByProject(from)["pat-3"]).toEqual(["proj000002"]);
  expect(world.emulator.state()).toMatchObject({ vpcs: [], services: [] });
});
