// Faults that apply beside others: what somebody else does at a request, answers that show less, and a brown-out.

import { expect, test } from "vitest";
import type { Fault, FaultScope } from "../../../emulator/index";
import {
  newFolder,
  openAdmin,
  openEmulator,
  openKept,
  openWithService,
  someService,
  storedText,
} from "../support/emulator";

const acts = {
  tag: { by: "hand", call: "changeService", body: { environment: "PROD" } },
  remove: { by: "hand", call: "deleteService" },
  rename: { by: "client", call: "renameService", body: { name: "theirs" } },
  removeAsClient: { by: "client", call: "deleteService" },
} as const;

test.each([
  ["before", "PROD"],
  ["after", "DEV"],
] as const)("a tag that somebody sets %s a read takes effect shows as %s in its answer", async (when, shown) => {
  const { get, emulator } = await openWithService();
  emulator.faults.add({ kind: "meanwhile", operation: "getService", skip: 1, when, act: acts.tag });
  const tags = [await get(), await get(), await get()].map(({ metadata }) => metadata);
  expect(tags).toEqual([{ environment: "DEV" }, { environment: shown }, { environment: "PROD" }]);
});

test("the object that a create has made is removed before the create is answered, and the answer is lost", async () => {
  const { call, paths, emulator } = await openEmulator();
  const operation = "createService";
  const acted = emulator.faults.add({ kind: "meanwhile", operation, when: "after", act: acts.remove });
  emulator.faults.add({ kind: "lostAfter", operation });
  await expect(call("POST", paths.services, someService)).rejects.toThrow("fetch failed");
  expect(emulator.state().services).toEqual([]);
  expect(emulator.requests()[0]?.fault).toBe("meanwhile+lostAfter");
  expect(acted.struck).toBe(1);
});

test("a second client changes the object of a request; its own request is recorded and meets no fault", async () => {
  const { ask, path, emulator, clock } = await openWithService();
  emulator.clearRequests();
  emulator.faults.add({ kind: "meanwhile", operation: "stop", act: acts.rename });
  emulator.faults.add({ kind: "meanwhile", operation: "getService", act: acts.removeAsClient });
  emulator.faults.add({ kind: "lostBefore", operation: "renameService" });
  expect(await ask(202, "POST", `${path}/stop`)).toMatchObject({ name: "theirs" });
  clock.advance(1_000);
  expect(await ask(200, "GET", path)).toMatchObject({ status: "DELETING" });
  const asked = emulator.requests().map(({ operation, status, userAgent }) => [operation, status, userAgent]);
  expect(asked).toEqual([
    ["stop", 202, "node"],
    ["renameService", 200, "meanwhile"],
    ["getService", 200, "node"],
    ["deleteService", 202, "meanwhile"],
  ]);
});

test("a test's own function acts, and gets the request with the id of its object", async () => {
  const { ask, paths, emulator } = await openEmulator();
  const act = ({ subjectId = "" }: { subjectId: string | undefined }): void => {
    emulator.mutate.service(subjectId, { name: "by hand" });
  };
  emulator.faults.add({ kind: "meanwhile", operation: "createService", when: "after", act });
  await ask(202, "POST", paths.services, someService);
  expect(emulator.state().services).toMatchObject([{ name: "by hand" }]);
});

test.each<[Fault & { kind: "meanwhile" }, RegExp]>([
  [
    { kind: "meanwhile", act: { by: "hand", call: "changeServices" } },
    /no change changeServices; there are .*changeVpc/,
  ],
  [{ kind: "meanwhile", act: { by: "hand", call: "getState" } }, /no change getState/],
  [{ kind: "meanwhile", act: { by: "client", call: "tag" } }, /no operation tag/],
  [{ kind: "meanwhile", act: { by: "hand", call: "changeService", body: { tag: 1 } } }, /Unrecognized key: "tag"/],
])("an act that cannot be is refused when it is added: %j", async (fault, why) => {
  const { admin, emulator } = await openAdmin();
  expect(() => emulator.faults.add(fault)).toThrow(why);
  const { status, text } = await admin.call("POST", "/faults", fault);
  expect([status, JSON.parse(text)]).toEqual([
    400,
    expect.objectContaining({ message: expect.stringMatching(why) as string }),
  ]);
});

const forms = {
  name: "zero",
  metadata: "absent",
  "resources.spec.cpu_millis": "zero",
  "endpoint.host": "null",
} as const;
const changed = { name: "", resources: [{ spec: { cpu_millis: 0, memory_gbs: 2 } }], endpoint: { host: null } };
const whole = { name: "orders", metadata: { environment: "DEV" }, resources: [{ spec: { cpu_millis: 500 } }] };

test.each<[Partial<Fault>, object, object]>([
  [{}, changed, changed],
  [{ in: "reads" }, changed, whole],
  [{ in: "lists" }, whole, changed],
  [{ ids: ["another"] }, whole, whole],
])("members are left out, null or zero with %j", async (where, single, listed) => {
  const { get, askList, paths, emulator } = await openWithService();
  emulator.faults.add({ kind: "members", members: forms, times: Infinity, ...where } as FaultScope & Fault);
  const read = await get();
  const [row] = await askList(paths.services);
  expect([read, row]).toMatchObject([single, listed]);
  for (const [shown, wanted] of [
    [read, single],
    [row, listed],
  ] as const)
    expect("metadata" in (shown ?? {})).toBe("metadata" in wanted);
});

test("members of reads alone are whole in the answer of a change", async () => {
  const { ask, path, emulator } = await openWithService();
  emulator.faults.add({ kind: "members", members: forms, times: Infinity, in: "reads" });
  expect(await ask(202, "POST", `${path}/stop`)).toMatchObject(whole);
});

test.each(["before", "after"] as const)(
  "an act %s a request without an object for it changes nothing, and the request is answered and stored",
  async (when) => {
    const data = newFolder();
    const { emulator, ask, paths } = await openKept(data);
    const params = { id: "nobody" };
    emulator.faults.add({ kind: "meanwhile", operation: "createService", when, act: { ...acts.tag, params } });
    await ask(202, "POST", paths.services, someService);
    expect(storedText(data)).toContain("orders");
    expect(emulator.state().services).toMatchObject([{ environment: "DEV" }]);
  },
);

test("what a test's own act throws leaves the change stored that it came after", async () => {
  const data = newFolder();
  const { emulator, call, paths } = await openKept(data);
  const act = (): never => {
    throw new Error("thrown on purpose");
  };
  emulator.faults.add({ kind: "meanwhile", operation: "createService", when: "after", act });
  expect((await call("POST", paths.services, someService)).status).toBe(500);
  expect(storedText(data)).toContain("orders");
});

test("a member that an answer does not have is zero by its name, or has the given value", async () => {
  const { get, emulator } = await openWithService();
  const members = {
    vpc_endpoint: "zero",
    log_exporter_id: "zero",
    ha_replicas: { value: { replica_count: 0 } },
  } as const;
  emulator.faults.add({ kind: "members", members });
  expect(await get()).toMatchObject({ vpc_endpoint: {}, log_exporter_id: "", ha_replicas: { replica_count: 0 } });
  expect(await get()).not.toHaveProperty("vpc_endpoint");
});

test("a brown-out hides objects from reads and lists by the clock, and changes go on", async () => {
  const { ask, call, path, paths, emulator, clock } = await openWithService();
  const { id } = emulator.mutate.createVpc();
  emulator.faults.add({ kind: "brownout", ms: 5_000 });
  clock.advance(60_000);
  const statuses = async () => [(await call("GET", path)).status, (await call("GET", `${paths.vpcs}/${id}`)).status];
  expect(await statuses()).toEqual([404, 404]);
  expect((await call("GET", path)).text).toContain("no service with that id exists");
  expect((await call("GET", paths.vpcs)).json).toEqual([]);
  expect((await call("GET", `${paths.vpcs}/${id}/peerings`)).json).toEqual([]);
  await ask(200, "GET", "/projects");
  await ask(200, "POST", `${path}/rename`, { name: "other" });
  clock.advance(4_999);
  expect(await statuses()).toEqual([404, 404]);
  clock.advance(1);
  expect(await statuses()).toEqual([200, 200]);
});

test("a brown-out of some objects, from a later request on, and of lists alone", async () => {
  const { call, askList, path, paths, id, emulator } = await openWithService();
  const other = emulator.mutate.createService().id;
  const fault = emulator.faults.add({ kind: "brownout", operation: "listServices", skip: 1, times: 2, ids: [id] });
  const ids = async () => (await askList(paths.services)).map((row) => row["service_id"]);
  expect([await ids(), await ids(), await ids(), await ids()]).toEqual([[id, other], [other], [other], [id, other]]);
  expect((await call("GET", path)).status).toBe(200);
  expect(fault.struck).toBe(2);
});

test("a brown-out of a read replica set hides it in its service too", async () => {
  const { get, id, emulator } = await openWithService();
  const sets = [emulator.mutate.createReplicaSet(id), emulator.mutate.createReplicaSet(id)] as const;
  emulator.faults.add({ kind: "brownout", ids: [sets[0].id] });
  expect((await get())["read_replica_sets"]).toMatchObject([{ id: sets[1].id }]);
});

test("a brown-out of reads alone leaves lists whole, and one of lists alone leaves reads", async () => {
  const { call, askList, path, paths, emulator } = await openWithService();
  const shown = async () => [(await call("GET", path)).status, (await askList(paths.services)).length];
  const ofReads = emulator.faults.add({ kind: "brownout", in: "reads" });
  expect(await shown()).toEqual([404, 1]);
  ofReads.remove();
  emulator.faults.add({ kind: "brownout", in: "lists" });
  expect(await shown()).toEqual([200, 0]);
});

test("members are left out while the object is in a status", async () => {
  const { get, id, emulator } = await openWithService();
  emulator.faults.add({ kind: "members", members: { endpoint: "absent" }, status: "PAUSED", times: Infinity });
  expect(await get()).toHaveProperty("endpoint");
  emulator.mutate.service(id, { paused: true });
  expect(await get()).not.toHaveProperty("endpoint");
});

test.each<[next: "header" | "member" | undefined, link: string | null, items: string | undefined]>([
  [undefined, null, undefined],
  ["header", '<?page=2>; rel="next"', undefined],
  ["member", null, "?page=2"],
])("a cut list ends after its rows, and says where the next page is by %s", async (next, link, page) => {
  const { call, get, paths, emulator } = await openWithService();
  emulator.mutate.createService();
  emulator.faults.add({ kind: "cut", rows: 1, ...(next && { next }) });
  const { json, headers } = await call("GET", paths.services);
  const row: unknown = expect.objectContaining({ name: "orders" });
  expect([json, headers.get("link")]).toEqual([page === undefined ? [row] : { items: [row], next: page }, link]);
  expect(await get()).toMatchObject({ name: "orders" });
});

test("faults can be there from the start, and are there again after a reset", async () => {
  const { call, paths, emulator } = await openEmulator({ faults: [{ kind: "status", status: 503 }] });
  const next = async () => (await call("GET", paths.services)).status;
  expect([await next(), await next()]).toEqual([503, 200]);
  emulator.reset();
  expect([await next(), await next()]).toEqual([503, 200]);
  const misspelt: object = { kind: "brownOut" };
  await expect(openEmulator({ faults: [misspelt as Fault] })).rejects.toThrow(/kind: Invalid discriminator value/);
});
