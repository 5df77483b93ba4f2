// One object with entries under two provider instances. Each instance has a process of its own; the processes of a run tell
// each other what they keep and what they are to adopt.

import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunBus } from "../../support/runBus";
import { openWorld, type World } from "../../support/world";

const NAMED = { name: "orders" };

let one: World;
let other: World;

/** The next run: both processes are new. */
function nextRun(): void {
  const bus = createRunBus();
  for (const world of [one, other]) world.restart(bus.join());
}

beforeEach(async () => {
  one = await openWorld();
  const { baseUrl, apiKey, projectId } = one.emulator;
  other = one.elsewhere({ baseUrl: baseUrl.replace("127.0.0.1", "localhost"), apiKey, projectId });
  nextRun();
});
afterEach(() => one.close());

const services = () => one.emulator.state().services;

test("a resource does not adopt what another one has under another provider", async () => {
  const service = await one.service.create(NAMED);
  nextRun();
  one.service.preview(service, NAMED);
  const taking = other.service.create({ ...NAMED, adoptId: service.id });
  await expect(taking).rejects.toThrow("is another resource of this program already");
});

test("a service that moves by `adoptId` is kept, also where the new provider spells the address differently", async () => {
  const service = await one.service.create(NAMED);
  nextRun();
  await other.service.create({ ...NAMED, adoptId: service.id });
  await one.service.removePending(service);
  expect(one.warnings.at(-1)).toContain("(under another provider) of this program has it");
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});

test("what was to be adopted under another provider, and was not, is not deleted with its old entry", async () => {
  const service = await one.service.create({ ...NAMED, regionCode: "us-east-1" });
  nextRun();
  const args = { ...NAMED, adoptId: service.id };
  await expect(other.service.create({ ...args, regionCode: "eu-west-1" })).rejects.toThrow("cannot be adopted");
  await expect(one.service.removePending(service)).rejects.toThrow(/is to go to .*nothing was deleted/);
  nextRun();
  await other.service.create({ ...args, regionCode: "us-east-1" });
  await one.service.removePending(service);
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});

test("what the other processes cannot be told is not adopted: they would delete it", async () => {
  const service = await one.service.create(NAMED);
  other.restart({ announce: () => false, claimOn: () => undefined });
  const taking = other.service.create({ ...NAMED, adoptId: service.id });
  await expect(taking).rejects.toThrow(/adoptId: .*could not be told of the adoption/);
});
