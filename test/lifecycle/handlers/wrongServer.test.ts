// The wrong place: a proxy that answers for somebody else, another server, a key or a project that is not ours. A refresh
// forgets nothing, a destroy deletes nothing and is not done, and the error says what is odd.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { startScriptedServer, type Reply, type ScriptedServer } from "../../support/scriptedServer";
import { openWorld, type Handlers, type Kept, type World } from "../../support/world";

const KINDS = ["vpc", "peering", "service", "readReplicaSet"] as const;
const READ_ONLY = "a-key-that-may-only-look";

let world: World;
let kept: Record<(typeof KINDS)[number], Kept>;
let opened: { close(): Promise<void> }[];

beforeEach(async () => {
  opened = [];
  world = await openWorld({
    callers: [{ token: READ_ONLY, kind: "pat", readOnly: true }],
    projects: [
      { id: "proj000001", name: "ours" },
      { id: "proj000002", name: "another" },
    ],
  });
  const timeouts = { update: "3m", delete: "3m" };
  const vpc = await world.vpc.create({ timeouts, name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
  const peer = { timeouts, vpcId: vpc.id, peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
  const service = await world.service.create({ timeouts, name: "orders", environment: "DEV" });
  const set = { timeouts, serviceId: service.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
  kept = {
    vpc,
    peering: await world.peering.create(peer),
    service,
    readReplicaSet: await world.readReplicaSet.create(set),
  };
  world.calls();
});

afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await world.close();
});

/** A server that answers everything alike. */
async function answering(reply: Reply): Promise<ScriptedServer> {
  const server = await startScriptedServer(reply);
  opened.push(server);
  return server;
}

/** Another control plane, on the same clock. */
async function another(projectId: string, apiKey: string, seed = 2): Promise<Emulator> {
  const emulator = await createEmulator({ seed, projectId, apiKey, now: () => world.clock.now() });
  opened.push(emulator);
  return emulator;
}

const settings = (more: Record<string, string>): Record<string, string> => {
  const { baseUrl, apiKey, projectId } = world.emulator;
  return { baseUrl, apiKey, projectId, ...more };
};

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    (value) => `it worked: ${JSON.stringify(value)}`,
    (error: unknown) => (error instanceof Error && "fullMessage" in error ? String(error.fullMessage) : String(error)),
  );
}

const page = "<!DOCTYPE html><html><body>Not found</body></html>";
const html = { "content-type": "text/html" };

/** What answers there, and what the error must say. */
const PROXIES: [string, Reply, RegExp][] = [
  ["404 with a page", { status: 404, text: page, headers: html }, /404 an HTML page.*check dbcloud:baseUrl/s],
  ["404 with nothing", { status: 404 }, /404 .*check dbcloud:baseUrl/s],
  [
    "404 in JSON",
    { status: 404, json: { code: "NOT_FOUND", message: "no such thing" } },
    /no such thing.*Check the project id/s,
  ],
  [
    "404 in the API's own words",
    { status: 404, json: { code: "NOT_FOUND", message: "no service with that id exists" } },
    /no service with that id exists.*Check the project id/s,
  ],
  ["410", { status: 410, json: { message: "gone for good" } }, /410 gone for good/],
  ["405", { status: 405, json: { message: "not allowed here" } }, /405/],
  ["200 with a page", { text: page, headers: html }, /not what the contract says.*check dbcloud:baseUrl/s],
  ["200 with {}", { json: {} }, /not what the contract says.*check dbcloud:baseUrl/s],
  ["200 with []", { json: [] }, /not what the contract says.*check dbcloud:baseUrl/s],
  ["204", { status: 204 }, /not what the contract says.*check dbcloud:baseUrl/s],
  ["500", { status: 500, json: { message: "out of order" } }, /500 out of order/],
  ["502 with a page", { status: 502, text: page, headers: html }, /502 an HTML page/],
  ["503", { status: 503, text: "" }, /503/],
  [
    "redirects",
    { status: 302, headers: { location: "https://login.example.org/" } },
    /redirects to https:\/\/login\.example\.org/,
  ],
];

describe.each(PROXIES)("in place of the API, something answers %s", (_, reply, words) => {
  test(
    "refresh forgets nothing, destroy and update are not done, nothing is created",
    { timeout: 240_000 },
    async () => {
      const { baseUrl } = await answering(reply);
      const there = world.elsewhere(settings({ baseUrl }));
      expect(await unlike(there, words)).toEqual([]);
      const args = { name: "orders", environment: "DEV", poolerEnabled: true };
      expect(await refusal(there.service.update(kept.service, args))).toMatch(words);
      expect(await refusal(there.service.create({ name: "new" }))).not.toMatch(/^it worked/);
      expect(world.calls()).toEqual([]);
    },
  );
});

describe("another server", () => {
  test("that does not know the key", async () => {
    const { baseUrl } = await another(world.emulator.projectId, "another-key");
    expect(await unlike(world.elsewhere(settings({ baseUrl })), /401 .*does not accept the API key/s)).toEqual([]);
  });

  test("that does not have the project", async () => {
    const { baseUrl } = await another("proj999999", world.emulator.apiKey);
    expect(await unlike(world.elsewhere(settings({ baseUrl })), /40[34] .*(Check the project id|no right)/s)).toEqual(
      [],
    );
  });

  test("that has the project and nothing in it: nothing is forgotten, and the error names both addresses", async () => {
    const { baseUrl } = await another(world.emulator.projectId, world.emulator.apiKey);
    const there = world.elsewhere(settings({ baseUrl }));
    const words = new RegExp(
      `${baseUrl} has no such .*knows it from ${world.emulator.baseUrl}.*DBCLOUD_BASE_URL=`,
      "s",
    );
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

  test("where the ids are the same and the objects are others: nothing is changed, deleted or believed", async () => {
    const { projectId, apiKey, baseUrl } = world.emulator;
    const otherServer = await another(projectId, apiKey, 1);
    const theirs = otherServer.mutate.createVpc({ name: "net", cidr: "10.9.0.0/24" });
    expect(theirs.id).toBe(kept.vpc.id);
    const there = world.elsewhere(settings({ baseUrl: otherServer.baseUrl }));
    const words = new RegExp(
      `what has this id at ${otherServer.baseUrl} is another VPC.*knows it from ${baseUrl}`,
      "s",
    );
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
    const careful = await world.service.update(nameless(kept.service), {
      name: "orders",
      environment: "DEV",
      onMissing: "error",
    });
    expect(await refusal(there.service.refresh(careful))).toMatch(/orders .*is gone: project proj000001 answers/);
    const precious = await world.service.update(careful, { name: "orders", environment: "PROD" });
    expect(await refusal(there.service.refresh(nameless(precious)))).toMatch(/stays in the state/);
    expect(await refusal(there.service.remove(precious))).toMatch(/is protected against deletion/);
    expect(world.emulator.state().services).toHaveLength(1);
  });
});

describe("the same deployment under another address", () => {
  const renamed = (): World =>
    world.elsewhere(settings({ baseUrl: world.emulator.baseUrl.replace("127.0.0.1", "localhost") }));

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
    // The old address is believed as before, and so is the new one, each without a look at anything else.
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
      expect(Object.fromEntries(outcomes)).toEqual({
        vpc: false,
        peering: false,
        service: false,
        readReplicaSet: true,
      });
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

test.each(KINDS)(
  "a %s whose delete only seemed to be taken, and one wrong 404 after it, is not forgotten",
  async (kind) => {
    const { faults } = world.emulator;
    const isIts = ({ path }: { path: string }): boolean => path.endsWith(`/${kept[kind].id}`);
    let isTaken = false;
    const isRead = ({ method }: { method: string }): boolean => method === "GET" && isTaken;
    const isItsDelete = (request: { method: string; path: string }): boolean =>
      (isTaken ||= request.method === "DELETE" && isIts(request));
    faults.add({ kind: "status", status: 200, match: isItsDelete });
    // A replica set is read by its service.
    faults.add({ kind: "status", status: 404, match: (request) => isRead(request) && !request.path.endsWith("s") });
    const outcome = await world[kind].remove(kept[kind]).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(Error);
    expect(nothingDeleted()).toBe(true);
  },
);

describe("a key", () => {
  test("that is wrong", async () => {
    const there = world.elsewhere(settings({ apiKey: "no-key-of-theirs" }));
    expect(await unlike(there, /401 .*does not accept the API key/s)).toEqual([]);
  });

  test("without the right to delete: refresh works, and destroy is not done", async () => {
    const there = world.elsewhere(settings({ apiKey: READ_ONLY }));
    for (const kind of KINDS) {
      expect((await there[kind].refresh(kept[kind]))?.id).toBe(kept[kind].id);
      expect(await refusal(there[kind].remove(kept[kind]))).toMatch(/403 .*has no right to this/s);
    }
    expect(nothingDeleted()).toBe(true);
  });

  test("without any right", async () => {
    world.emulator.faults.add({
      kind: "status",
      status: 403,
      body: { code: "FORBIDDEN", message: "missing project permission" },
      times: Infinity,
    });
    expect(await unlike(world, /403 .*missing project permission.*another project/s)).toEqual([]);
  });
});

describe("a project", () => {
  test("of today's configuration does not count: the recorded one does", async () => {
    const there = world.elsewhere(settings({ projectId: "proj000002" }));
    for (const kind of KINDS) expect((await there[kind].refresh(kept[kind]))?.id).toBe(kept[kind].id);
    await there.readReplicaSet.remove(kept.readReplicaSet);
    expect(world.emulator.state().replicaSets).toEqual([]);
  });

  test.each(["proj000002", "proj999999"])("%s in the state, which is not theirs", async (projectId) => {
    const moved = (one: Kept): Kept => ({ ...one, outputs: { ...one.outputs, projectId } });
    for (const kind of KINDS) kept[kind] = moved(kept[kind]);
    expect(await unlike(world, /40[34] .*(Check the project id|no right)/s)).toEqual([]);
  });
});

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
