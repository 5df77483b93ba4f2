// Another server, or the same one under another address: a refresh forgets nothing, a destroy deletes nothing and is not
// done, and the error says what is odd.

import { describe, expect, test } from "vitest";
import type { Kept, World } from "../../support/world";
import { KINDS, settings, underOtherName, world } from "../scene";
import { another, kept, refusal, unlike, useWrongPlaces } from "./wrongPlaces";

useWrongPlaces();

describe("another server", () => {
  test.each([
    ["know the key", undefined, "another-key", /401 .*does not accept the API key/s],
    ["have the project", "proj999999", undefined, /40[34] .*(Check the project id|no right)/s],
  ])("that does not %s", async (_, projectId, apiKey, words) => {
    const { emulator } = world;
    const { baseUrl } = await another(projectId ?? emulator.projectId, apiKey ?? emulator.apiKey);
    expect(await unlike(world.elsewhere(settings({ baseUrl })), words)).toEqual([]);
  });

  test("that has the project and nothing in it: nothing is forgotten, and the error names both addresses", async () => {
    const { baseUrl } = await another(world.emulator.projectId, world.emulator.apiKey);
    const there = world.elsewhere(settings({ baseUrl }));
    const words = new RegExp(`${baseUrl} .*knows it from ${world.emulator.baseUrl}.*DBCLOUD_BASE_URL=`, "s");
    expect(await unlike(there, words)).toEqual([]);
    // Side by side, as the engine does it, and with an object of today in its state.
    const fresh = await there.service.create({ name: "of-today" });
    const [seen, ...outcomes] = await Promise.all([
      there.service.refresh(fresh),
      ...KINDS.map((kind) => refusal(there[kind].refresh(kept[kind]))),
    ]);
    expect(outcomes.filter((said) => !words.test(said))).toEqual([]);
    expect(seen).toMatchObject({ id: fresh.id });
  });

  test("is told with an address to copy that runs nothing", async () => {
    const { baseUrl } = await another(world.emulator.projectId, world.emulator.apiKey);
    const recorded = "https://control.example/$(id)/v1";
    const state = { ...kept.vpc, outputs: { ...kept.vpc.outputs, __deployment: recorded } };
    const said = await refusal(world.elsewhere(settings({ baseUrl })).vpc.refresh(state));
    expect(said).toContain(`set DBCLOUD_BASE_URL='${recorded}'.`);
  });

  test("where the ids are the same and the objects are others: nothing is changed, deleted or believed", async () => {
    const { projectId, apiKey, baseUrl } = world.emulator;
    const otherServer = await another(projectId, apiKey, 1);
    const theirs = otherServer.mutate.createVpc({ name: "net", cidr: "10.9.0.0/24" });
    expect(theirs.id).toBe(kept.vpc.id);
    const there = world.elsewhere(settings({ baseUrl: otherServer.baseUrl }));
    const words = new RegExp(`${otherServer.baseUrl} is another VPC.*knows it from ${baseUrl}`, "s");
    const args = { name: "renamed", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
    expect(await refusal(there.vpc.refresh(kept.vpc))).toMatch(words);
    expect(await refusal(there.vpc.update(kept.vpc, args))).toMatch(words);
    expect(await refusal(there.vpc.remove(kept.vpc))).toMatch(words);
    expect(new Set(otherServer.requests().map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  // The limit: a state of old names no address. It takes the key, has the project, and its list lacks the id.
  test("is not told apart by a state that names no address: only what says so is kept", async () => {
    const { baseUrl } = await another(world.emulator.projectId, world.emulator.apiKey);
    const there = world.elsewhere(settings({ baseUrl }));
    const nameless = (one: Kept): Kept => {
      const { __deployment: _, ...outputs } = one.outputs;
      return { ...one, outputs };
    };
    for (const kind of KINDS) expect(await there[kind].refresh(nameless(kept[kind]))).toBeUndefined();
    const args = { name: "orders", environment: "DEV", onMissing: "error" };
    const careful = await world.service.update(nameless(kept.service), args);
    expect(await refusal(there.service.refresh(careful))).toMatch(/orders .*is gone: project proj000001 answers/);
    const precious = await world.service.update(careful, { name: "orders", environment: "PROD" });
    expect(await refusal(there.service.refresh(nameless(precious)))).toMatch(/stays in the state/);
    expect(await refusal(there.service.remove(precious))).toMatch(/is protected against deletion/);
    expect(world.emulator.state().services).toHaveLength(1);
  });
});

describe("the same deployment under another address", () => {
  const renamed = (): World => world.elsewhere(underOtherName());

  test("is refreshed, remembered, changed and cleared, and no plan comes of it", async () => {
    const there = renamed();
    const refreshed = { ...kept };
    for (const kind of KINDS) {
      const seen = await there[kind].refresh(kept[kind]);
      expect(seen?.inputs).toEqual(kept[kind].inputs);
      refreshed[kind] = seen ?? kept[kind];
      const args = Object.fromEntries(Object.entries(kept[kind].inputs).filter(([key]) => !key.startsWith("__")));
      expect(there[kind].preview(refreshed[kind], args)).toMatchObject({ changes: undefined, properties: [] });
    }
    expect(there.warnings).toEqual([]);
    // The old address is believed as before, and so is the new one, each without a read of anything else.
    world.emulator.mutate.deleteReplicaSet(kept.readReplicaSet.id);
    expect(await world.readReplicaSet.refresh(refreshed.readReplicaSet)).toBeUndefined();
    expect(await renamed().readReplicaSet.refresh(refreshed.readReplicaSet)).toBeUndefined();
    const args = { timeouts: { update: "3m" }, name: "orders", environment: "DEV", poolerEnabled: true };
    expect((await renamed().service.update(kept.service, args)).failed).toBeUndefined();
    for (const kind of ["service", "peering", "vpc"] as const) await renamed()[kind].remove(kept[kind]);
    expect(world.emulator.state()).toMatchObject({ vpcs: [], peerings: [], services: [], replicaSets: [] });
  });

  test("loses what is gone, as soon as another object of the stack is seen there, in whatever order they are read", async () => {
    world.emulator.mutate.deleteReplicaSet(kept.readReplicaSet.id);
    for (const order of [KINDS, KINDS.toReversed()]) {
      const there = renamed();
      const outcomes = await Promise.all(
        order.map(async (kind) => [kind, (await there[kind].refresh(kept[kind])) === undefined] as const),
      );
      expect(outcomes.filter(([, isGone]) => isGone).map(([kind]) => kind)).toEqual(["readReplicaSet"]);
    }
    // A delete of what is gone, beside one of what is there.
    const there = renamed();
    await Promise.all([there.readReplicaSet.remove(kept.readReplicaSet), there.service.remove(kept.service)]);
    expect(world.emulator.state().services).toEqual([]);
  });

  test("is not guessed when nothing of the stack is seen there", async () => {
    world.emulator.mutate.deleteService(kept.service.id);
    expect(await refusal(renamed().service.refresh(kept.service))).toMatch(/this may be another deployment/);
    // Neither by what was made there since.
    const there = renamed();
    await there.service.create({ name: "of-today" });
    expect(await refusal(there.service.refresh(kept.service))).toMatch(/this may be another deployment/);
    expect(await world.service.refresh(kept.service)).toBeUndefined();
  });
});
