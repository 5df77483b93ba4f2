// What a real control plane refuses about services: each with status and text, and nothing changed by it.

import { expect, test } from "vitest";
import type { ServiceMutation } from "../../../emulator/index";
import {
  attach,
  expectRefused,
  ofVpc,
  openWithVpcAndService,
  pause,
  replica,
  size,
  type Refusal,
  type Fixture,
} from "../support/refusals";

const paused = { status: 400, text: "service is paused; start it first" };
const busy = { status: 409, text: "service is already being updated" };
const unknownService = { status: 404, text: "no service with that id exists" };
const noBackup = { status: 400, text: "service doesn't yet have any backups or snapshots available" };

const make =
  (fields: ServiceMutation) =>
  ({ emulator, serviceId }: Fixture): unknown =>
    emulator.mutate.service(serviceId, fields);

const resizing = ({ ask, fill }: Fixture): unknown => ask(202, "POST", fill("S/resize"), size);

const young = ({ emulator, clock, serviceId }: Fixture): unknown =>
  emulator.mutate.service(serviceId, { firstBackupAt: clock.now() + 60_000 });

const inWrongState: Refusal[] = [
  { what: "unknown", request: "GET P/services/nope", ...unknownService },
  { what: "change of an unknown one", request: "POST P/services/nope/stop", ...unknownService },
  { what: "unknown replica set", request: "DELETE S/replicaSets/nope", status: 404, text: /no read replica set/ },
  { what: "unknown project", request: "GET /projects/nope/services", status: 404, text: /no project/ },
  {
    what: "resize, shared",
    prepare: make({ cpuMillis: undefined }),
    request: "POST S/resize",
    body: size,
    status: 400,
    text: /shared/,
  },
  { what: "resize, paused", prepare: pause, request: "POST S/resize", body: size, ...paused },
  { what: "HA, paused", prepare: pause, request: "POST S/setHA", body: { replica_count: 1 }, ...paused },
  { what: "pooler on, paused", prepare: pause, request: "POST S/enablePooler", ...paused },
  { what: "pooler off, paused", prepare: pause, request: "POST S/disablePooler", ...paused },
  {
    what: "password, paused",
    prepare: pause,
    request: "POST S/updatePassword",
    body: { password: "longenough" },
    ...paused,
  },
  { what: "attach, paused", prepare: pause, request: "POST S/attachToVPC", body: ofVpc, ...paused },
  {
    what: "detach, paused",
    prepare: (fixture) => [attach(fixture), pause(fixture)],
    request: "POST S/detachFromVPC",
    body: ofVpc,
    ...paused,
  },
  { what: "replica set, paused", prepare: pause, request: "POST S/replicaSets", body: replica, ...paused },
  { what: "stop, paused", prepare: pause, request: "POST S/stop", status: 400, text: /not running/ },
  { what: "start, running", request: "POST S/start", status: 400, text: /not paused/ },
  {
    what: "a password too short",
    options: { switches: { minPasswordLength: 8 } },
    request: "POST S/updatePassword",
    body: { password: "short" },
    status: 400,
    text: /at least 8/,
  },
];

const forksAndReplicas: Refusal[] = [
  {
    what: "sync above count",
    request: "POST S/setHA",
    body: { replica_count: 1, sync_replica_count: 2 },
    status: 400,
    text: /sync_replica_count/,
  },
  {
    what: "sync above the count there is",
    request: "POST S/setHA",
    body: { sync_replica_count: 1 },
    status: 400,
    text: /sync_replica_count/,
  },
  { what: "HA of nothing", request: "POST S/setHA", body: {}, status: 400, text: /at least one field/ },
  {
    what: "more replicas than the plan has",
    request: "POST S/setHA",
    body: { replica_count: 6 },
    status: 400,
    text: /at most 5/,
  },
  {
    what: "point in time without a time",
    request: "POST S/forkService",
    body: { fork_strategy: "PITR" },
    status: 400,
    text: /target_time/,
  },
  {
    what: "fork from a snapshot there is not",
    prepare: young,
    request: "POST S/forkService",
    body: { fork_strategy: "LAST_SNAPSHOT" },
    ...noBackup,
  },
  {
    what: "replica set before the first backup",
    prepare: young,
    request: "POST S/replicaSets",
    body: replica,
    ...noBackup,
  },
  {
    what: "shared fork of a dedicated one",
    request: "POST S/forkService",
    body: { fork_strategy: "NOW", cpu_millis: "shared", memory_gbs: "shared" },
    status: 400,
    text: /shared/,
  },
  {
    what: "half-shared fork",
    request: "POST S/forkService",
    body: { fork_strategy: "NOW", cpu_millis: "shared", memory_gbs: "2" },
    status: 400,
    text: /shared/,
  },
  {
    what: "fork of an unstable one",
    prepare: make({ status: "UNSTABLE" }),
    request: "POST S/forkService",
    body: { fork_strategy: "NOW" },
    status: 409,
    text: /not ready/,
  },
  {
    what: "fork whose default name is too long",
    prepare: make({ name: "n".repeat(128) }),
    request: "POST S/forkService",
    body: { fork_strategy: "NOW" },
    status: 400,
    text: /name/,
  },
  {
    what: "too many nodes",
    request: "POST S/replicaSets",
    body: { ...replica, nodes: 11 },
    status: 400,
    text: /at most 10/,
  },
];

const whileBusy: Refusal[] = [
  { what: "a second change", prepare: resizing, request: "POST S/setHA", body: { replica_count: 1 }, ...busy },
  {
    what: "the same where busy is 423",
    options: { switches: { busyStatus: 423 } },
    prepare: resizing,
    request: "POST S/enablePooler",
    ...busy,
    status: 423,
  },
  {
    what: "a password",
    prepare: resizing,
    request: "POST S/updatePassword",
    body: { password: "longenough" },
    ...busy,
  },
  {
    what: "an environment",
    prepare: resizing,
    request: "POST S/setEnvironment",
    body: { environment: "PROD" },
    ...busy,
  },
  { what: "a rename", prepare: resizing, request: "POST S/rename", body: { name: "x" }, ...busy },
  { what: "a fork", prepare: resizing, request: "POST S/forkService", body: { fork_strategy: "NOW" }, ...busy },
  { what: "a deletion", prepare: resizing, request: "DELETE S", ...busy },
  { what: "a replica set", prepare: resizing, request: "POST S/replicaSets", body: replica, ...busy },
  {
    what: "a change while a replica set is made",
    prepare: ({ ask, fill }) => ask(202, "POST", fill("S/replicaSets"), replica),
    request: "POST S/resize",
    body: size,
    ...busy,
  },
  {
    what: "a change while somebody else's job runs",
    prepare: make({ status: "UPGRADING" }),
    request: "POST S/stop",
    ...busy,
  },
];

test.each([...inWrongState, ...forksAndReplicas])("$what: $status", async (refusal) => {
  await expect(expectRefused(refusal)).resolves.toBeUndefined();
});

test.each(whileBusy)("while busy, $what: $status", async (refusal) => {
  await expect(expectRefused(refusal)).resolves.toBeUndefined();
});

test("an object of another project is not found, even where the caller may see both", async () => {
  const projects = [
    { id: "projecta", name: "a" },
    { id: "projectb", name: "b" },
  ];
  const { emulator, call } = await openWithVpcAndService({ projects, callers: [{ token: "user", kind: "oauth" }] });
  const { id } = emulator.mutate.createService({ projectId: "projectb" });
  const vpc = emulator.mutate.createVpc({ projectId: "projectb" });
  const status = async (path: string): Promise<number> =>
    (await call("GET", path, undefined, { token: "user" })).status;
  expect(await status(`/projects/projectb/services/${id}`)).toBe(200);
  expect(await status(`/projects/projecta/services/${id}`)).toBe(404);
  expect(await status(`/projects/projectb/vpcs/${vpc.id}`)).toBe(200);
  expect(await status(`/projects/projecta/vpcs/${vpc.id}`)).toBe(404);
});

test("a paused service can still be renamed, tagged, forked and deleted", async () => {
  const fixture = await openWithVpcAndService();
  pause(fixture);
  await fixture.ask(200, "POST", fixture.fill("S/rename"), { name: "x" });
  await fixture.ask(200, "POST", fixture.fill("S/setEnvironment"), { environment: "PROD" });
  fixture.emulator.settle();
  await fixture.ask(202, "POST", fixture.fill("S/forkService"), { fork_strategy: "NOW" });
  await fixture.ask(202, "DELETE", fixture.fill("S"));
  expect(fixture.emulator.state().services[0]).toMatchObject({ status: "DELETING", name: "x", environment: "PROD" });
});
