// What a real control plane refuses: each with its status and text, and nothing changed by it.

import { expect, test } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
import { openWorld, someService, type TestWorld } from "./world";

/** A world with a VPC and a ready service, addressed by ids in braces. */
interface Scene extends TestWorld {
  fill: (template: string) => string;
  serviceId: string;
  vpcId: string;
}

async function openScene(options: EmulatorOptions = {}): Promise<Scene> {
  const world = await openWorld(options);
  const made = await world.ask(202, "POST", world.paths.services, someService);
  const serviceId = String(made["service_id"]);
  world.emulator.settle();
  const vpcId = world.emulator.mutate.createVpc({ regionCode: "us-east-1" }).id;
  const replaced: Record<string, string> = {
    P: `/projects/${world.emulator.projectId}`,
    S: world.paths.service(serviceId),
    V: world.paths.vpc(vpcId),
  };
  const fill = (template: string): string => template.replace(/^([PSV])/, (letter) => replaced[letter] ?? letter);
  return { ...world, fill, serviceId, vpcId };
}

interface Refusal {
  what: string;
  prepare?: (scene: Scene) => unknown;
  request: [method: string, path: string, body?: unknown | ((scene: Scene) => unknown)];
  status: number;
  text: string | RegExp;
  options?: EmulatorOptions;
}

const pause = ({ emulator, serviceId }: Scene): unknown => emulator.mutate.service(serviceId, { paused: true });
const attach = ({ emulator, serviceId, vpcId }: Scene): unknown => emulator.mutate.service(serviceId, { vpcId });
const ofVpc = ({ vpcId }: Scene): unknown => ({ vpc_id: vpcId });
const paused = "service is paused; start it first";
const busy = "service is already being updated";
const noBackup = "service doesn't yet have any backups or snapshots available";
const replica = { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 };
const peer = { peer_account_id: "1", peer_region_code: "us-east-1", peer_vpc_id: "vpc-1" };
const size = { cpu_millis: "1000", memory_gbs: "4" };

const busyWith =
  (operation: string, body?: unknown) =>
  ({ ask, fill }: Scene) =>
    ask(202, "POST", fill(`S/${operation}`), body);

const refusals: Refusal[] = [
  { what: "unknown service", request: ["GET", "P/services/nope"], status: 404, text: "no service with that id exists" },
  {
    what: "change of an unknown service",
    request: ["POST", "P/services/nope/stop"],
    status: 404,
    text: "no service with that id exists",
  },
  { what: "unknown VPC", request: ["GET", "P/vpcs/1"], status: 404, text: "no VPC with that id was found" },
  {
    what: "peerings of an unknown VPC",
    request: ["GET", "P/vpcs/1/peerings"],
    status: 404,
    text: "no VPC with that id was found",
  },
  { what: "unknown peering", request: ["GET", "V/peerings/1"], status: 404, text: /no peering/ },
  { what: "unknown replica set", request: ["DELETE", "S/replicaSets/nope"], status: 404, text: /no read replica set/ },
  { what: "unknown project", request: ["GET", "/projects/nope/services"], status: 404, text: /no project/ },

  {
    what: "resize of a shared service",
    prepare: ({ emulator, serviceId }) =>
      emulator.mutate.service(serviceId, { cpuMillis: undefined, memoryGbs: undefined }),
    request: ["POST", "S/resize", size],
    status: 400,
    text: /shared/,
  },
  {
    what: "resize of a paused service",
    prepare: pause,
    request: ["POST", "S/resize", size],
    status: 400,
    text: paused,
  },
  {
    what: "HA of a paused service",
    prepare: pause,
    request: ["POST", "S/setHA", { replica_count: 1 }],
    status: 400,
    text: paused,
  },
  {
    what: "pooler of a paused service",
    prepare: pause,
    request: ["POST", "S/enablePooler"],
    status: 400,
    text: paused,
  },
  {
    what: "pooler off of a paused service",
    prepare: pause,
    request: ["POST", "S/disablePooler"],
    status: 400,
    text: paused,
  },
  {
    what: "password of a paused service",
    prepare: pause,
    request: ["POST", "S/updatePassword", { password: "longenough" }],
    status: 400,
    text: paused,
  },
  {
    what: "attach of a paused service",
    prepare: pause,
    request: ["POST", "S/attachToVPC", ofVpc],
    status: 400,
    text: paused,
  },
  {
    what: "detach of a paused service",
    prepare: (scene) => [attach(scene), pause(scene)],
    request: ["POST", "S/detachFromVPC", ofVpc],
    status: 400,
    text: paused,
  },
  {
    what: "replica set of a paused service",
    prepare: pause,
    request: ["POST", "S/replicaSets", replica],
    status: 400,
    text: paused,
  },
  { what: "stop of a paused service", prepare: pause, request: ["POST", "S/stop"], status: 400, text: /not running/ },
  { what: "start of a running service", request: ["POST", "S/start"], status: 400, text: /not paused/ },

  {
    what: "attach to an unknown VPC",
    request: ["POST", "S/attachToVPC", { vpc_id: "404" }],
    status: 404,
    text: "target VPC does not exist",
  },
  {
    what: "attach to a VPC of another region",
    prepare: ({ emulator, vpcId }) => emulator.mutate.vpc(vpcId, { regionCode: "eu-west-1" }),
    request: ["POST", "S/attachToVPC", ofVpc],
    status: 400,
    text: /different regions/,
  },
  {
    what: "attach of an attached service",
    prepare: attach,
    request: ["POST", "S/attachToVPC", ofVpc],
    status: 400,
    text: /already attached/,
  },
  {
    what: "attach to a VPC that is being created",
    prepare: ({ emulator, vpcId }) => emulator.mutate.vpc(vpcId, { status: "CREATING" }),
    request: ["POST", "S/attachToVPC", ofVpc],
    status: 409,
    text: /not ready/,
  },
  {
    what: "attach to a full VPC",
    options: { switches: { maxAttached: 0 } },
    request: ["POST", "S/attachToVPC", ofVpc],
    status: 400,
    text: /maximum number of services/,
  },
  {
    what: "detach from a VPC it is not in",
    request: ["POST", "S/detachFromVPC", ofVpc],
    status: 400,
    text: /not attached/,
  },
  {
    what: "detach from another VPC",
    prepare: attach,
    request: ["POST", "S/detachFromVPC", { vpc_id: "404" }],
    status: 400,
    text: /not attached/,
  },

  {
    what: "sync above count",
    request: ["POST", "S/setHA", { replica_count: 1, sync_replica_count: 2 }],
    status: 400,
    text: /sync_replica_count/,
  },
  {
    what: "sync above the count there is",
    request: ["POST", "S/setHA", { sync_replica_count: 1 }],
    status: 400,
    text: /sync_replica_count/,
  },
  { what: "HA of nothing", request: ["POST", "S/setHA", {}], status: 400, text: /at least one field/ },
  {
    what: "more replicas than the plan has",
    request: ["POST", "S/setHA", { replica_count: 6 }],
    status: 400,
    text: /at most 5/,
  },

  {
    what: "point in time without a time",
    request: ["POST", "S/forkService", { fork_strategy: "PITR" }],
    status: 400,
    text: /target_time/,
  },
  {
    what: "fork from a snapshot there is not",
    options: { timings: { queued: 0, create: 0, firstBackup: 60_000 } },
    prepare: young,
    request: ["POST", "S/forkService", { fork_strategy: "LAST_SNAPSHOT" }],
    status: 400,
    text: noBackup,
  },
  {
    what: "replica set before the first backup",
    prepare: young,
    request: ["POST", "S/replicaSets", replica],
    status: 400,
    text: noBackup,
  },
  {
    what: "shared fork of a dedicated service",
    request: ["POST", "S/forkService", { fork_strategy: "NOW", cpu_millis: "shared", memory_gbs: "shared" }],
    status: 400,
    text: /shared/,
  },
  {
    what: "half-shared fork",
    request: ["POST", "S/forkService", { fork_strategy: "NOW", cpu_millis: "shared", memory_gbs: "2" }],
    status: 400,
    text: /shared/,
  },
  {
    what: "fork of an unstable service",
    prepare: ({ emulator, serviceId }) => emulator.mutate.service(serviceId, { status: "UNSTABLE" }),
    request: ["POST", "S/forkService", { fork_strategy: "NOW" }],
    status: 409,
    text: /not ready/,
  },
  {
    what: "fork whose default name is too long",
    prepare: ({ emulator, serviceId }) => emulator.mutate.service(serviceId, { name: "n".repeat(128) }),
    request: ["POST", "S/forkService", { fork_strategy: "NOW" }],
    status: 400,
    text: /name/,
  },
  {
    what: "more nodes than there can be",
    request: ["POST", "S/replicaSets", { ...replica, nodes: 11 }],
    status: 400,
    text: /at most 10/,
  },

  {
    what: "a second change while one runs",
    prepare: busyWith("resize", size),
    request: ["POST", "S/setHA", { replica_count: 1 }],
    status: 409,
    text: busy,
  },
  {
    what: "the same, where busy is 423",
    options: { switches: { busyStatus: 423 } },
    prepare: busyWith("resize", size),
    request: ["POST", "S/enablePooler"],
    status: 423,
    text: busy,
  },
  {
    what: "a password while a change runs",
    prepare: busyWith("resize", size),
    request: ["POST", "S/updatePassword", { password: "longenough" }],
    status: 409,
    text: busy,
  },
  {
    what: "a rename while a change runs",
    prepare: busyWith("resize", size),
    request: ["POST", "S/rename", { name: "x" }],
    status: 409,
    text: busy,
  },
  {
    what: "deletion while a change runs",
    prepare: busyWith("resize", size),
    request: ["DELETE", "S"],
    status: 409,
    text: busy,
  },
  {
    what: "a change of the service while a replica set is made",
    prepare: busyWith("replicaSets", replica),
    request: ["POST", "S/resize", size],
    status: 409,
    text: busy,
  },
  {
    what: "a replica set while the service changes",
    prepare: busyWith("resize", size),
    request: ["POST", "S/replicaSets", replica],
    status: 409,
    text: busy,
  },
  {
    what: "a change while somebody else's job runs",
    prepare: ({ emulator, serviceId }) => emulator.mutate.service(serviceId, { status: "UPGRADING" }),
    request: ["POST", "S/stop"],
    status: 409,
    text: busy,
  },

  { what: "deleting a VPC with a service", prepare: attach, request: ["DELETE", "V"], status: 409, text: /in use/ },
  {
    what: "deleting a VPC while a service is on its way in",
    prepare: ({ ask, fill, vpcId }) => ask(202, "POST", fill("S/attachToVPC"), { vpc_id: vpcId }),
    request: ["DELETE", "V"],
    status: 409,
    text: /in use/,
  },
  {
    what: "deleting a VPC while a service is on its way out",
    prepare: async (scene) => [
      attach(scene),
      await scene.ask(202, "POST", scene.fill("S/detachFromVPC"), { vpc_id: scene.vpcId }),
    ],
    request: ["DELETE", "V"],
    status: 409,
    text: /in use/,
  },
  {
    what: "deleting a VPC with a peering",
    prepare: ({ emulator, vpcId }) => emulator.mutate.createPeering(vpcId),
    request: ["DELETE", "V"],
    status: 409,
    text: /in use/,
  },
  {
    what: "deleting a VPC while a peering leaves",
    prepare: async ({ emulator, vpcId, ask, fill }) =>
      ask(204, "DELETE", fill(`V/peerings/${emulator.mutate.createPeering(vpcId).id}`)),
    request: ["DELETE", "V"],
    status: 409,
    text: /already being updated/,
  },
  {
    what: "a second peering while one is provisioned",
    prepare: ({ ask, fill }) => ask(201, "POST", fill("V/peerings"), peer),
    request: ["POST", "V/peerings", peer],
    status: 409,
    text: "VPC is already being updated",
  },
  {
    what: "renaming a VPC while a peering leaves",
    prepare: async ({ emulator, vpcId, ask, fill }) =>
      ask(204, "DELETE", fill(`V/peerings/${emulator.mutate.createPeering(vpcId).id}`)),
    request: ["POST", "V/rename", { name: "x" }],
    status: 409,
    text: /already being updated/,
  },
  {
    what: "a peering of a VPC that is being created",
    prepare: ({ emulator, vpcId }) => emulator.mutate.vpc(vpcId, { status: "CREATING" }),
    request: ["POST", "V/peerings", peer],
    status: 409,
    text: /not ready/,
  },
  {
    what: "one peering too many",
    options: { switches: { maxPeerings: 1 } },
    prepare: ({ emulator, vpcId }) => emulator.mutate.createPeering(vpcId),
    request: ["POST", "V/peerings", peer],
    status: 400,
    text: /maximum number of peerings/,
  },
  {
    what: "a VPC in the other cloud",
    request: ["POST", "P/vpcs", { name: "v", cidr: "10.0.0.0/16", region_code: "az-westeurope" }],
    status: 400,
    text: /not available/,
  },
  {
    what: "a password that is too short, where there is a rule",
    options: { switches: { minPasswordLength: 8 } },
    request: ["POST", "S/updatePassword", { password: "short" }],
    status: 400,
    text: /at least 8/,
  },
];

function young({ emulator, clock, serviceId }: Scene): unknown {
  return emulator.mutate.service(serviceId, { firstBackupAt: clock.now() + 60_000 });
}

test.each(refusals)("$what: $status", async ({ prepare, request: [method, path, body], status, text, options }) => {
  const scene = await openScene(options);
  await prepare?.(scene);
  const [before, entries] = [scene.emulator.state(), scene.emulator.ledger().length];
  const sent: unknown = typeof body === "function" ? (body as (scene: Scene) => unknown)(scene) : body;
  const answer = await scene.call(method, scene.fill(path), sent);
  const message = (answer.json as { message?: string } | undefined)?.message ?? "";
  expect(answer.status, answer.text).toBe(status);
  expect(message).toMatch(typeof text === "string" ? new RegExp(`^${text}$`) : text);
  expect(scene.emulator.state()).toEqual(before);
  expect(scene.emulator.ledger()).toHaveLength(entries);
  expect(scene.emulator.requests().at(-1)).toMatchObject({
    committed: false,
    status,
    refusedAsBusy: /already being updated/.test(message),
  });
});

test("an object of another project is not found, even where the caller may see both", async () => {
  const projects = [
    { id: "projecta", name: "a" },
    { id: "projectb", name: "b" },
  ];
  const { emulator, call } = await openWorld({ projects, callers: [{ token: "user", kind: "oauth" }] });
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
  const scene = await openScene();
  pause(scene);
  await scene.ask(200, "POST", scene.fill("S/rename"), { name: "x" });
  await scene.ask(200, "POST", scene.fill("S/setEnvironment"), { environment: "PROD" });
  scene.emulator.settle();
  await scene.ask(202, "POST", scene.fill("S/forkService"), { fork_strategy: "NOW" });
  await scene.ask(202, "DELETE", scene.fill("S"));
  expect(scene.emulator.state().services[0]).toMatchObject({ status: "DELETING", name: "x", environment: "PROD" });
});
