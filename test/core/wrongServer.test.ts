// The wrong place: another server or what stands in front of it, another address of the same one, a key or a project that is
// not ours. A refresh forgets nothing, a destroy deletes nothing and is not done, and the error says what is odd.

import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../emulator/index";
import { type Reply, startScriptedServer } from "../support/scriptedServer";
import type { Handlers, Kept, World } from "../support/world";
import {
  errorOf,
  fault,
  KINDS,
  makeBystander,
  NET,
  PEER,
  setOf,
  settings,
  underOtherName,
  useWorld,
  world,
} from "./scene";

const READ_ONLY = "a-key-that-may-only-look";

let kept: Record<(typeof KINDS)[number], Kept>;

const callers = [{ token: READ_ONLY, kind: "pat" as const, readOnly: true }];
const projects = ["proj000001", "proj000002"].map((id) => ({ id, name: id }));

useWorld({ callers, projects }, async () => {
  const timeouts = { update: "3m", delete: "3m" };
  const vpc = await world.vpc.create({ timeouts, ...NET });
  const peering = await world.peering.create({ timeouts, vpcId: vpc.id, ...PEER });
  const service = await world.service.create({ timeouts, name: "orders", environment: "DEV" });
  const readReplicaSet = await world.readReplicaSet.create(setOf(service, { timeouts }));
  kept = { vpc, peering, service, readReplicaSet };
  world.calls();
});

/** Another control plane, on the same clock, and the provider there; by itself it takes the key and has the project. */
async function another(options: EmulatorOptions = {}) {
  const { apiKey, projectId } = world.emulator;
  const emulator = await createEmulator({ seed: 2, projectId, apiKey, ...options, now: () => world.clock.now() });
  onTestFinished(() => emulator.close());
  return { emulator, there: world.elsewhere(settings({ baseUrl: emulator.baseUrl })) };
}

const refusal = async (work: Promise<unknown>): Promise<string> => (await errorOf(work)).fullMessage;

/** Refreshes and removals that did not end in these words. */
async function unlike(there: World, words: RegExp): Promise<string[]> {
  const wrong: string[] = [];
  const judge = async (what: string, work: (handlers: Handlers, one: Kept) => Promise<unknown>): Promise<void> => {
    for (const kind of KINDS) {
      const said = await refusal(work(there[kind], kept[kind]));
      if (!words.test(said)) wrong.push(`${what} of ${kind}: ${said}`);
    }
  };
  await judge("refresh", (handlers, one) => handlers.refresh(one));
  await judge("delete", (handlers, one) => handlers.remove(one));
  if (!nothingDeleted()) wrong.push("something was deleted");
  return wrong;
}

function nothingDeleted(): boolean {
  const { vpcs, peerings, services, replicaSets } = world.emulator.state();
  return [vpcs, peerings, services, replicaSets].every((all) => all.length === 1);
}

test.each([
  ["know the key", { apiKey: "another-key" }, /401 .*does not accept the API key/s],
  ["have the project", { projectId: "proj999999" }, /40[34] .*(Check the project id|not allowed)/s],
])("another server that does not %s", async (_, options, words) => {
  expect(await unlike((await another(options)).there, words)).toEqual([]);
});

test("another server that has the project and nothing in it: nothing is forgotten, and the error names both addresses", async () => {
  const { emulator, there } = await another();
  const words = new RegExp(`${emulator.baseUrl} .*recorded it at ${world.emulator.baseUrl}.*DBCLOUD_BASE_URL=`, "s");
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

test("another server is told with an address to copy that runs nothing", async () => {
  const { there } = await another();
  const recorded = "https://control.example/$(id)/v1";
  const state = { ...kept.vpc, outputs: { ...kept.vpc.outputs, __deployment: recorded } };
  const said = await refusal(there.vpc.refresh(state));
  expect(said).toContain(`set DBCLOUD_BASE_URL='${recorded}'`);
});

test.each([
  ["", false],
  [", nor where the former address is said to be the same", true],
])("another server whose ids are the same is neither changed nor believed%s", async (_how, isSaid) => {
  const { baseUrl } = world.emulator;
  const { emulator } = await another({ seed: 1 });
  expect(emulator.mutate.createVpc({ name: "net", cidr: "10.9.0.0/24" }).id).toBe(kept.vpc.id);
  const former = isSaid ? { formerBaseUrl: baseUrl } : {};
  const there = world.elsewhere(settings({ baseUrl: emulator.baseUrl, ...former }));
  const words = new RegExp(`${emulator.baseUrl} is another VPC.*recorded it at ${baseUrl}`, "s");
  expect(await refusal(there.vpc.refresh(kept.vpc))).toMatch(words);
  expect(await refusal(there.vpc.update(kept.vpc, { ...NET, name: "renamed" }))).toMatch(words);
  expect(await refusal(there.vpc.remove(kept.vpc))).toMatch(words);
  expect(new Set(emulator.requests().map(({ method }) => method))).toEqual(new Set(["GET"]));
});

// The limit: a state of old names no address. It takes the key, has the project, and its list lacks the id.
test("another server is not told apart by a state that names no address: only what says so is kept", async () => {
  const { emulator, there } = await another();
  for (const kind of ["service", "vpc"] as const) makeBystander(kind, emulator);
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

const renamed = (): World => world.elsewhere(underOtherName());

test("the same deployment under another address is refreshed, remembered, changed and cleared, and no plan comes of it", async () => {
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

test("the same deployment under another address is not guessed: what is gone there stays in the state until the former address is said", async () => {
  world.emulator.mutate.deleteReplicaSet(kept.readReplicaSet.id);
  world.emulator.mutate.deleteService(kept.service.id);
  const there = renamed();
  // What else is seen there proves nothing.
  expect(await there.vpc.refresh(kept.vpc)).toBeDefined();
  await there.service.create({ name: "of-today" });
  const words = new RegExp(`this may be another deployment.*DBCLOUD_FORMER_BASE_URL=${world.emulator.baseUrl}`, "s");
  for (const work of ["refresh", "remove"] as const) {
    expect(await refusal(there.service[work](kept.service))).toMatch(words);
    expect(await refusal(there.readReplicaSet[work](kept.readReplicaSet))).toMatch(words);
  }
  const former = world.elsewhere({ ...underOtherName(), formerBaseUrl: world.emulator.baseUrl });
  expect(await former.service.refresh(kept.service)).toBeUndefined();
  expect(await former.readReplicaSet.refresh(kept.readReplicaSet)).toBeUndefined();
  former.warnings.length = 0;
  await former.service.remove(kept.service);
  expect(former.warnings.join()).toMatch(
    /service orders .* counts as gone: .*localhost.* was at http:\S*127\.0\.0\.1\S* before/,
  );
  await former.peering.remove(kept.peering);
  expect(world.emulator.state()).toMatchObject({ peerings: [], vpcs: [{ id: kept.vpc.id }] });
});

const page = "<!DOCTYPE html><html><body>Not found</body></html>";
const html = { "content-type": "text/html" };
const notFound = (message: string): Reply => ({ status: 404, json: { code: "NOT_FOUND", message } });

/** What answers there, and what the error must say. */
const PROXIES: [string, Reply, RegExp][] = [
  ["404 with a page", { status: 404, text: page, headers: html }, /404 an HTML page.*check the base URL/s],
  ["404 with nothing", { status: 404 }, /404 .*check the base URL/s],
  ["404 in JSON", notFound("no such thing"), /no such thing.*Check the project id/s],
  ["404 in the API's words", notFound("no service with that id exists"), /no service with .*Check the project id/s],
  ["410", { status: 410, json: { message: "gone for good" } }, /410 gone for good/],
  ["405", { status: 405, json: { message: "not allowed here" } }, /405/],
  ["200 with a page", { text: page, headers: html }, /does not match the contract.*check dbcloud:baseUrl/s],
  ["200 with {}", { json: {} }, /does not match the contract.*check dbcloud:baseUrl/s],
  ["200 with []", { json: [] }, /does not match the contract.*check dbcloud:baseUrl/s],
  ["204", { status: 204 }, /does not match the contract.*check dbcloud:baseUrl/s],
  ["500", { status: 500, json: { message: "out of order" } }, /500 out of order/],
  ["503", { status: 503, text: "" }, /503/],
  ["redirects", { status: 302, headers: { location: "https://login.example.org/" } }, /redirects to .*login\.example/],
];

test.each(PROXIES)(
  "something that answers %s in place of the API makes a refresh forget, a destroy or update do, a create make nothing",
  { timeout: 240_000 },
  async (_, reply, words) => {
    const { baseUrl, close } = await startScriptedServer(reply);
    onTestFinished(close);
    const there = world.elsewhere(settings({ baseUrl }));
    expect(await unlike(there, words)).toEqual([]);
    const args = { name: "orders", environment: "DEV", poolerEnabled: true };
    expect(await refusal(there.service.update(kept.service, args))).toMatch(words);
    await errorOf(there.service.create({ name: "new" }));
    expect(world.calls()).toEqual([]);
  },
);

test.each([
  ...KINDS.map((kind) => [kind, "with the words of a refusal", undefined] as const),
  ...KINDS.map((kind) => [kind, "without a message", {}] as const),
])("a %s whose delete only seemed to be taken, %s, with a 404 after it, is deleted again", async (kind, _, body) => {
  const { faults } = world.emulator;
  let isTaken = false;
  const isItsDelete = ({ method, path }: { method: string; path: string }): boolean =>
    (isTaken ||= method === "DELETE" && path.endsWith(`/${kept[kind].id}`));
  faults.add({ kind: "status", status: 200, match: isItsDelete, ...(body && { body }) });
  // A replica set is read by its service.
  const isRead = ({ method, path }: { method: string; path: string }): boolean =>
    method === "GET" && isTaken && !path.endsWith("s");
  faults.add({ kind: "status", status: 404, match: isRead });
  if (kind === "vpc") world.emulator.mutate.deletePeering(kept.peering.id);
  await world[kind].remove(kept[kind]);
  const sent = world.emulator.requests().filter(({ method }) => method === "DELETE");
  expect(sent).toMatchObject([{ committed: false }, { committed: true }]);
  expect(nothingDeleted()).toBe(false);
});

test("a key that has no rights forgets and deletes nothing", async () => {
  const body = { code: "FORBIDDEN", message: "missing project permission" };
  fault({ kind: "status", status: 403, body, times: Infinity });
  expect(await unlike(world, /403 .*missing project permission.*another project/s)).toEqual([]);
});

test("a key without the right to delete refreshes, and does not destroy", async () => {
  const there = world.elsewhere(settings({ apiKey: READ_ONLY }));
  for (const kind of KINDS) {
    expect((await there[kind].refresh(kept[kind]))?.id).toBe(kept[kind].id);
    // Before anything is sent for a VPC, what is in it is looked at.
    const why = kind === "vpc" ? /in use; nothing was deleted/ : /403 .*is not allowed to do this/s;
    expect(await refusal(there[kind].remove(kept[kind]))).toMatch(why);
  }
  expect(nothingDeleted()).toBe(true);
});

test("the recorded project counts, and not that of today's configuration", async () => {
  const there = world.elsewhere(settings({ projectId: "proj000002" }));
  for (const kind of KINDS) expect((await there[kind].refresh(kept[kind]))?.id).toBe(kept[kind].id);
  await there.readReplicaSet.remove(kept.readReplicaSet);
  expect(world.emulator.state().replicaSets).toEqual([]);
});

test.each(["proj000002", "proj999999"])(
  "somebody else's project %s in the state forgets nothing",
  async (projectId) => {
    for (const kind of KINDS) kept[kind] = { ...kept[kind], outputs: { ...kept[kind].outputs, projectId } };
    expect(await unlike(world, /40[34] .*(Check the project id|not allowed)/s)).toEqual([]);
  },
);
