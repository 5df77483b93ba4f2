// One object or its replica set under two provider instances. Each instance has a process of its own; the processes of a run
// tell each other what they keep and what is protected.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSiblingProcesses } from "../../../provider/host/siblingProcesses";
import { openWorld, type Kept, type World } from "../../support/world";

const SET = { name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
const NAMED = { name: "orders" };

let one: World;
let other: World;
let parent: string;
let pid = 100;
let run = 0;

/** The next run: both processes are new, and have a new engine. */
function nextRun(): void {
  run += 1;
  for (const world of [one, other]) {
    world.restart();
    join(world);
  }
}

function join(world: World): void {
  pid += 1;
  const folder = path.join(parent, "runs");
  const siblings = createSiblingProcesses({ engine: `engine:${run}`, folder, pid, isAlive: () => true });
  Object.assign(world.memory, { siblings });
}

function reachedAs(host: string): World {
  const { baseUrl, apiKey, projectId } = one.emulator;
  return one.elsewhere({ baseUrl: baseUrl.replace("127.0.0.1", host), apiKey, projectId });
}

beforeEach(async () => {
  parent = mkdtempSync(path.join(tmpdir(), "siblings-"));
  one = await openWorld();
  other = reachedAs("127.0.0.1");
  nextRun();
});
afterEach(async () => {
  await one.close();
  rmSync(parent, { recursive: true });
});

const services = () => one.emulator.state().services;

describe.each([
  [{ deletionProtection: true }, { deletionProtection: false }],
  [{ environment: "PROD" }, { environment: "DEV" }],
])("a service that was protected by %j and is given %j", (before, after) => {
  test("is destroyed with the set that it has under another provider", async () => {
    let service = await one.service.create({ ...NAMED, ...before });
    let set = await other.readReplicaSet.create({ ...SET, serviceId: service.id });
    nextRun();
    service = await one.service.update(service, { ...NAMED, ...after });
    set = await other.readReplicaSet.update(set, { ...SET, serviceId: service.id });
    nextRun();
    await other.readReplicaSet.remove(set);
    await one.service.remove(service);
    expect(services()).toEqual([]);
  });
});

test("a resource does not adopt what another one has under another provider", async () => {
  const service = await one.service.create(NAMED);
  nextRun();
  one.service.preview(service, NAMED);
  const taking = other.service.create({ ...NAMED, adoptId: service.id });
  await expect(taking).rejects.toThrow("is another resource of this program already");
});

test.each(["another provider", "the same provider"])(
  "two entries, one of them protected, the other under %s: a destroy deletes by neither",
  async (where) => {
    const service = await one.service.create({ ...NAMED, deletionProtection: true });
    const second: Kept = structuredClone(service);
    second.outputs["deletionProtection"] = false;
    nextRun();
    const elsewhere = where === "another provider" ? other : one;
    const ended = await Promise.allSettled([one.service.remove(service), elsewhere.service.remove(second)]);
    expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
  },
);

test.each(["127.0.0.1", "localhost"])(
  "a service that moves to a provider which reaches the deployment as %s is kept",
  async (host) => {
    const service = await one.service.create(NAMED);
    nextRun();
    other = reachedAs(host);
    join(other);
    await other.service.create({ ...NAMED, adoptId: service.id });
    await one.service.removePending(service);
    expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
  },
);

test("what was to be adopted under another provider, and was not, is not deleted with its old entry", async () => {
  const service = await one.service.create({ ...NAMED, regionCode: "us-east-1" });
  nextRun();
  const args = { ...NAMED, adoptId: service.id };
  await expect(other.service.create({ ...args, regionCode: "eu-west-1" })).rejects.toThrow("cannot be adopted");
  await expect(one.service.remove(service)).rejects.toThrow(/is to be adopted by .*nothing was deleted/);
  nextRun();
  await other.service.create({ ...args, regionCode: "us-east-1" });
  await one.service.remove(service);
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});
