// `data`: what an emulator keeps in a folder, and what it makes of a folder that is not whole.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { messageOf } from "../../../emulator/errors";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { newFolder, openKept, someService, storedText } from "../support/emulator";
import { manualClock } from "../support/httpClient";

/** Everything that is kept, as a test can see it. */
const kept = (emulator: Emulator) => ({ ...emulator.snapshot(), clock: undefined, sum: undefined });

test("the next emulator has the same objects, running changes, keys, ids, ledger and clock", async () => {
  const data = newFolder();
  const clock = manualClock();
  const first = await openKept(data, { now: clock.now, seed: 5 });
  const { emulator, ask, paths } = first;
  const vpcId = String(
    (await ask(201, "POST", paths.vpcs, { cidr: "10.0.0.0/16", name: "n", region_code: "us-east-1" }))["id"],
  );
  const id = String((await ask(202, "POST", paths.services, someService))["service_id"]);
  emulator.settle();
  await ask(204, "POST", `${paths.service(id)}/updatePassword`, { password: "the new password" });
  emulator.mutate.createReplicaSet(id);
  emulator.mutate.createPeering(vpcId);
  emulator.mutate.logs(id, [{ message: "written by hand" }]);
  emulator.mutate.deleteService(emulator.mutate.createService({ name: "gone" }).id);
  emulator.clock.advance(3_600_000);
  await ask(202, "POST", `${paths.service(id)}/resize`, { cpu_millis: "2000", memory_gbs: "8" });
  const before = { world: kept(emulator), now: emulator.clock.now(), keys: [emulator.apiKey, emulator.adminKey] };
  await emulator.close();

  clock.advance(20);
  const second = await openKept(data, { now: clock.now });
  expect(kept(second.emulator)).toEqual(before.world);
  expect(second.emulator.clock.now()).toBe(before.now + 20);
  expect([second.emulator.apiKey, second.emulator.adminKey]).toEqual(before.keys);
  expect(await second.ask(200, "GET", paths.service(id))).toMatchObject({ status: "UPGRADING" });
  clock.advance(20);
  expect(await second.ask(200, "GET", paths.service(id))).toMatchObject({
    status: "READY",
    resources: [{ spec: { cpu_millis: 2000 } }],
  });
});

test("reset, restore and a frozen clock are stored too", async () => {
  const data = newFolder();
  const { emulator } = await openKept(data);
  // Lists keep their order, whatever changed after the creation.
  const [first] = ["one", "two"].map((name) => emulator.mutate.createService({ name }));
  emulator.mutate.service(first?.id ?? "", { cpuMillis: 2000 });
  const snapshot = emulator.snapshot();
  emulator.reset();
  await emulator.close();
  const second = await openKept(data);
  expect(second.emulator.state().services).toEqual([]);
  second.emulator.restore(snapshot);
  second.emulator.mutate.createVpc({ name: "net" });
  const { now } = second.emulator.clock.freeze();
  await second.emulator.close();
  const third = await openKept(data);
  expect(third.emulator.state()).toMatchObject({
    services: [{ name: "one" }, { name: "two" }],
    vpcs: [{ name: "net" }],
  });
  expect(third.emulator.clock.state()).toEqual({ now, isFrozen: true });
});

/** The members of each object, by the names that lead to it. */
function membersOf(value: unknown, place = "world", found = new Map<string, Set<string>>()): Map<string, Set<string>> {
  if (Array.isArray(value)) value.forEach((one) => membersOf(one, place, found));
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      found.set(place, (found.get(place) ?? new Set()).add(name));
      membersOf(
        inner,
        /^(before|after|body|settled)$/.test(name) ? place.replace(/\.timeline.*/, " body") : `${place}.${name}`,
        found,
      );
    }
  return found;
}

test("what is stored has these members: if another one comes or goes, its format needs another number", async () => {
  const { emulator, ask, paths } = await openKept(newFolder());
  const vpc = emulator.mutate.createVpc({ wire: {} }).id;
  emulator.mutate.createPeering(vpc, { errorMessage: "no" });
  const forkedFrom = { projectId: emulator.projectId, serviceId: "svc" };
  const { id } = emulator.mutate.createService({ cpuMillis: 500, memoryGbs: 2, forkedFrom, vpcId: vpc });
  emulator.mutate.createReplicaSet(id, { environment: "DEV" });
  emulator.faults.add({ kind: "stuck", status: "UNSTABLE", operation: "resize" });
  await ask(202, "POST", `${paths.service(id)}/resize`, { cpu_millis: "2000", memory_gbs: "8" });
  const { world, format } = emulator.snapshot();
  const members = [...membersOf(world)].map(([place, names]) => `${place}: ${[...names].toSorted().join(" ")}`);
  expect([format, ...members.toSorted()]).toMatchInlineSnapshot(`
    [
      5,
      "world.ledger: at by event id kind name operation overlapped requestId",
      "world.services body: cpuMillis environment memoryGbs moves name poolerEnabled regionCode replicaCount serviceType status syncReplicaCount vpcId",
      "world.services.forkedFrom: projectId serviceId",
      "world.services.hidden.get: reads until",
      "world.services.hidden.list: reads until",
      "world.services.hidden: get list",
      "world.services.logs: at message node sequence severity",
      "world.services.replicaSets body: cpuMillis environment memoryGbs name nodes poolerEnabled status",
      "world.services.replicaSets.hidden.get: reads until",
      "world.services.replicaSets.hidden.list: reads until",
      "world.services.replicaSets.hidden: get list",
      "world.services.replicaSets.timeline: changes settled",
      "world.services.replicaSets: hidden id timeline",
      "world.services.timeline.changes.phases: body busy ms",
      "world.services.timeline.changes: after at before comesBack lastStaleReadAt phases shownAfter staleReads staleUntil",
      "world.services.timeline.hold: from lastReadAt reads status until",
      "world.services.timeline: changes hold settled",
      "world.services: createdAt endpointGapReads extensions firstBackupAt forkedFrom hidden id initialPassword logs password projectId replicaSets timeline",
      "world.vpcs body: cidr name regionCode status",
      "world.vpcs.hidden.get: reads until",
      "world.vpcs.hidden.list: reads until",
      "world.vpcs.hidden: get list",
      "world.vpcs.peerings body: errorMessage peerAccountId peerRegionCode peerVpcId provisionedId status",
      "world.vpcs.peerings.hidden.get: reads until",
      "world.vpcs.peerings.hidden.list: reads until",
      "world.vpcs.peerings.hidden: get list",
      "world.vpcs.peerings.timeline: changes settled",
      "world.vpcs.peerings: hidden id timeline",
      "world.vpcs.timeline: changes settled",
      "world.vpcs: hidden id peerings projectId timeline wire",
      "world: ids ledger randomSeed services vpcs",
    ]
  `);
});

test("a world removed, truncated or changed is an error that names the file, and nothing in the folder is touched", async () => {
  const data = newFolder();
  const { emulator } = await openKept(data);
  for (let index = 0; index < 20; index += 1) emulator.mutate.createService({ name: `service-${index}` });
  const before = kept(emulator);
  await emulator.close();
  mkdirSync(path.join(data, "postgres"));
  const file = path.join(data, "world.db");
  const whole = readFileSync(file);
  const all = () =>
    readdirSync(data)
      .filter((name) => name !== "postgres")
      .map((name) => [name, readFileSync(path.join(data, name), "hex")]);
  // Also in pages that are not in use: a row that was written anew leaves its old text.
  const changed = (from: string, to: string): Buffer =>
    Buffer.from(whole.toString("latin1").replaceAll(from, to), "latin1");
  const cuts = [0, 1, 512, Math.floor(whole.length / 2), whole.length - 1].map((length) => whole.subarray(0, length));
  const flips = [
    changed("SQLite", "SqLite"),
    changed("service-19", "service-18"),
    changed('"adminKey":"', '"adminKey":"x'),
  ];
  const other = Buffer.from("7 4711\nbox 0a1b2c3d".repeat(100));
  for (const damaged of [undefined, ...cuts, ...flips, other]) {
    if (damaged === undefined) rmSync(file);
    else writeFileSync(file, damaged);
    const there = all();
    const why = damaged === undefined ? "missing" : "damaged";
    const told = await createEmulator({ data }).then(() => "started", messageOf);
    expect([damaged?.length, told]).toEqual([damaged?.length, expect.stringContaining(`world.db is ${why}`)]);
    expect(all()).toEqual(there);
  }
  writeFileSync(file, whole);
  expect(kept((await openKept(data)).emulator)).toEqual(before);
});

test("a row that is lost is missed", async () => {
  const data = newFolder();
  const { emulator } = await openKept(data);
  emulator.mutate.createService();
  await emulator.close();
  const database = new DatabaseSync(path.join(data, "world.db"));
  database.exec("DELETE FROM rows WHERE key LIKE 'service %'");
  database.close();
  await expect(createEmulator({ data })).rejects.toThrow("world.db is damaged");
});

test("a change writes its own object and what is common, however many objects there are", async () => {
  const { emulator, ask, paths } = await openKept(newFolder());
  for (let index = 0; index < 100; index += 1) emulator.mutate.createService();
  const [{ id } = { id: "" }] = emulator.state().services;
  const written = vi.spyOn(StatementSync.prototype, "run");
  await ask(202, "POST", `${paths.service(id)}/stop`);
  expect(written.mock.calls.map(([key]) => key)).toEqual(["world", `service ${id}`]);
});

test("a path that cannot be a folder is an error that says what it is", async () => {
  const file = newFolder();
  writeFileSync(file, "");
  await expect(createEmulator({ data: file })).rejects.toThrow(/world is a file: name a folder, .* \(EEXIST/);
  const below = path.join(file, "world");
  await expect(createEmulator({ data: below })).rejects.toThrow(/world is below a file/);
});

test("after the close nothing is written", async () => {
  const data = newFolder();
  const { emulator } = await openKept(data);
  await emulator.close();
  expect(() => emulator.mutate.createService({ name: "late" })).toThrow("the emulator is closed");
  expect(() => emulator.reset()).toThrow("the emulator is closed");
  expect((await openKept(data)).emulator.state().services).toEqual([]);
});

test("a link that somebody else has prepared gets no key", async () => {
  const [data, target] = [newFolder(), newFolder()];
  mkdirSync(data, { mode: 0o700 });
  symlinkSync(target, path.join(data, "world.db"));
  await expect(createEmulator({ data })).rejects.toThrow("EEXIST");
  expect(existsSync(target)).toBe(false);
});

test.each([0o777, 0o720, 0o1777])("a folder with mode %o, open to others, is refused untouched", async (mode) => {
  const data = newFolder();
  mkdirSync(data);
  chmodSync(data, mode);
  await expect(createEmulator({ data })).rejects.toThrow(/other accounts can write in .*world \(mode 1?7[27][07]\)/);
  expect(readdirSync(data)).toEqual([]);
});

test("the time never goes back behind what is stored, also over a restart", async () => {
  const data = newFolder();
  let at = Date.UTC(2030, 0);
  const now = (): number => at;
  const first = await openKept(data, { now });
  const id = String((await first.ask(202, "POST", first.paths.services, someService))["service_id"]);
  at += 60_000;
  await first.ask(200, "GET", first.paths.service(id));
  first.emulator.mutate.createVpc();
  const before = first.emulator.clock.now();
  await first.emulator.close();
  at -= 3_600_000;
  const second = await openKept(data, { now });
  expect(second.emulator.clock.now()).toBe(before);
  expect(await second.ask(200, "GET", second.paths.service(id))).toMatchObject({ status: "READY" });
  at += 5;
  expect(second.emulator.clock.now()).toBe(before + 5);
});

test("what a change writes does not grow with the ledger, of which the newest 100 entries are stored", async () => {
  const data = newFolder();
  const { emulator } = await openKept(data);
  const { id } = emulator.mutate.createVpc();
  const renamed = (count: number): number => {
    for (let index = 0; index < count; index += 1) emulator.mutate.vpc(id, { name: "vpc" });
    return storedText(data).length;
  };
  const before = renamed(150);
  expect(renamed(300)).toBeLessThan(before + 100);
  await emulator.close();
  expect((await openKept(data)).emulator.ledger()).toHaveLength(100);
});

test("the ids of objects that are gone are bounded too, and no object gets that of another", async () => {
  const emulator = await createEmulator();
  const there = Array.from({ length: 1_500 }, () => emulator.mutate.createVpc().id);
  for (let index = 0; index < 5_000; index += 1) {
    const { id } = emulator.mutate.createVpc();
    expect(there).not.toContain(id);
    emulator.mutate.deleteVpc(id);
  }
  expect(emulator.snapshot()).toMatchObject({ world: { ids: { length: 1_000 } } });
  await emulator.close();
});

test("the ledger has the newest 10,000 changes", async () => {
  const emulator = await createEmulator();
  const { id } = emulator.mutate.createVpc();
  for (let index = 0; index < 10_005; index += 1) emulator.mutate.vpc(id, { name: `vpc ${index}` });
  expect(emulator.ledger().map(({ name }) => name)).toEqual(Array.from({ length: 10_000 }, (_, at) => `vpc ${at + 5}`));
  await emulator.close();
});

test("a project other than the folder's is refused, and the folder stays unlocked", async () => {
  const data = newFolder();
  await (await openKept(data, { projectId: "mine" })).emulator.close();
  await expect(createEmulator({ data, projectId: "other" })).rejects.toThrow(/keeps project mine, not other/);
  expect((await openKept(data)).emulator.projectId).toBe("mine");
});

test("the folder is its owner's alone; those above it are as usual, so that the servers' account can traverse them", async () => {
  const data = path.join(newFolder(), "sub", "data");
  const { emulator } = await openKept(data);
  emulator.mutate.createService();
  const modeOf = (file: string): number => statSync(file).mode & 0o777;
  const asUsual = 0o777 & ~process.umask();
  const folders = [data, path.dirname(data), path.dirname(path.dirname(data))];
  expect(folders.map(modeOf)).toEqual([0o700, asUsual, asUsual]);
  expect(readdirSync(data).map((name) => modeOf(path.join(data, name)) & 0o077)).toEqual([0, 0]);
});
