// What a real control plane refuses about the state of its objects: each with status and words, and nothing changed by it.

import { expect, test } from "vitest";
import type { ServiceMutation, VpcMutation } from "../../../emulator/index";
import { textWith } from "../../support/matchers";
import {
  attach,
  openWithVpcAndService,
  pause,
  peer,
  refusalOf,
  replica,
  size,
  type Fixture,
  type Refusal,
} from "../support/refusals";

const service =
  (fields: ServiceMutation) =>
  ({ emulator, serviceId }: Fixture) =>
    emulator.mutate.service(serviceId, fields);
const vpc =
  (fields: VpcMutation) =>
  ({ emulator, vpcId }: Fixture) =>
    emulator.mutate.vpc(vpcId, fields);

const ofVpc = ({ vpcId }: Fixture) => ({ vpc_id: vpcId });
const resizing = ({ ask, fill }: Fixture) => ask(202, "POST", fill("S/resize"), size);
const young = ({ emulator, clock, serviceId }: Fixture) =>
  emulator.mutate.service(serviceId, { firstBackupAt: clock.now() + 60_000 });
const withPeering = ({ emulator, vpcId }: Fixture): string => emulator.mutate.createPeering(vpcId).id;
const withManyPeerings = (fixture: Fixture) => void Array.from({ length: 50 }, () => withPeering(fixture));
const makingSet = ({ ask, fill }: Fixture) => ask(202, "POST", fill("S/replicaSets"), replica);
const provisioning = ({ ask, fill }: Fixture) => ask(201, "POST", fill("V/peerings"), peer);
const leaving = async (fixture: Fixture) => {
  attach(fixture);
  await moving("detachFromVPC")(fixture);
};
const peeringLeaves = (fixture: Fixture) =>
  fixture.ask(204, "DELETE", fixture.fill(`V/peerings/${withPeering(fixture)}`));
const moving = (operation: string) => (fixture: Fixture) =>
  fixture.ask(202, "POST", fixture.fill(`S/${operation}`), ofVpc(fixture));

const password = { password: "longenough" };
const now = { fork_strategy: "NOW" };
const as423 = { switches: { busyStatus: 423 } } as const;
const otherCloud = { name: "v", cidr: "10.0.0.0/16", region_code: "az-westeurope" };
const paused = [400, "service is paused; start it first", pause] as const;
const busy = [409, "service is already being updated", resizing] as const;
const noVpc = "no VPC with that id was found";
const noService = "no service with that id exists";
const noBackup = "service doesn't yet have any backups or snapshots available";

test.each<Refusal>([
  ["an unknown service", "GET P/services/nope", undefined, 404, noService],
  ["a change of an unknown service", "POST P/services/nope/stop", undefined, 404, noService],
  ["an unknown replica set", "DELETE S/replicaSets/nope", undefined, 404, "no read replica set"],
  ["an unknown project", "GET /projects/nope/services", undefined, 404, "no project"],
  ["an unknown VPC", "GET P/vpcs/1", undefined, 404, noVpc],
  ["peerings of an unknown VPC", "GET P/vpcs/1/peerings", undefined, 404, noVpc],
  ["an unknown peering", "GET V/peerings/1", undefined, 404, "no peering"],

  ["a resize of a shared service", "POST S/resize", size, 400, "shared", service({ cpuMillis: undefined })],
  ["a resize of a paused service", "POST S/resize", size, ...paused],
  ["HA of a paused service", "POST S/setHA", { replica_count: 1 }, ...paused],
  ["a pooler of a paused service", "POST S/enablePooler", undefined, ...paused],
  ["no pooler of a paused service", "POST S/disablePooler", undefined, ...paused],
  ["a password of a paused service", "POST S/updatePassword", password, ...paused],
  ["a VPC for a paused service", "POST S/attachToVPC", ofVpc, ...paused],
  ["no VPC for a paused service", "POST S/detachFromVPC", ofVpc, 400, paused[1], (all) => [attach(all), pause(all)]],
  ["a replica set of a paused service", "POST S/replicaSets", replica, ...paused],
  ["a stop of a paused service", "POST S/stop", undefined, 400, "not running", pause],
  ["a start of a running service", "POST S/start", undefined, 400, "not paused"],

  ["too many synchronous", "POST S/setHA", { replica_count: 1, sync_replica_count: 2 }, 400, "sync_replica_count"],
  ["synchronous above those there are", "POST S/setHA", { sync_replica_count: 1 }, 400, "sync_replica_count"],
  ["HA of nothing", "POST S/setHA", {}, 400, "at least one field"],
  ["more replicas than the plan has", "POST S/setHA", { replica_count: 6 }, 400, "at most 5"],
  ["more nodes than the plan has", "POST S/replicaSets", { ...replica, nodes: 11 }, 400, "at most 10"],
  ["a moment that is not given", "POST S/forkService", { fork_strategy: "PITR" }, 400, "target_time"],
  ["a fork without a snapshot", "POST S/forkService", { fork_strategy: "LAST_SNAPSHOT" }, 400, noBackup, young],
  ["a replica set without a backup", "POST S/replicaSets", replica, 400, noBackup, young],
  ["a shared fork", "POST S/forkService", { ...now, cpu_millis: "shared", memory_gbs: "shared" }, 400, "shared"],
  ["a half-shared fork", "POST S/forkService", { ...now, cpu_millis: "shared", memory_gbs: "2" }, 400, "shared"],
  ["a fork of an unstable service", "POST S/forkService", now, 409, "not ready", service({ status: "UNSTABLE" })],
  ["a default name too long", "POST S/forkService", now, 400, "name", service({ name: "n".repeat(128) })],
  ["a password too short", "POST S/updatePassword", { password: "abcdefg" }, 400, "at least 8"],

  ["HA while busy", "POST S/setHA", { replica_count: 1 }, ...busy],
  ["a password while busy", "POST S/updatePassword", password, ...busy],
  ["an environment while busy", "POST S/setEnvironment", { environment: "PROD" }, ...busy],
  ["a rename while busy", "POST S/rename", { name: "x" }, ...busy],
  ["a fork while busy", "POST S/forkService", now, ...busy],
  ["a deletion while busy", "DELETE S", undefined, ...busy],
  ["a replica set while busy", "POST S/replicaSets", replica, ...busy],
  ["a resize while a replica set is made", "POST S/resize", size, 409, busy[1], makingSet],
  ["a stop while another job runs", "POST S/stop", undefined, 409, busy[1], service({ status: "UPGRADING" })],
  ["a pooler where busy is 423", "POST S/enablePooler", undefined, 423, busy[1], resizing, as423],

  ["a VPC in the other cloud", "POST P/vpcs", otherCloud, 400, "not available"],
  ["an attach to an unknown VPC", "POST S/attachToVPC", { vpc_id: "404" }, 404, "target VPC does not exist"],
  ["an attach across regions", "POST S/attachToVPC", ofVpc, 400, "regions", vpc({ regionCode: "eu-west-1" })],
  ["an attach of an attached service", "POST S/attachToVPC", ofVpc, 400, "already attached", attach],
  ["an attach to a new VPC", "POST S/attachToVPC", ofVpc, 409, "not ready", vpc({ status: "CREATING" })],
  ["an attach to a full VPC", "POST S/attachToVPC", ofVpc, 400, "maximum", undefined, { switches: { maxAttached: 0 } }],
  ["a detach of a service outside", "POST S/detachFromVPC", ofVpc, 400, "not attached"],
  ["a detach from another VPC", "POST S/detachFromVPC", { vpc_id: "404" }, 400, "not attached", attach],
  ["deleting a VPC with a service", "DELETE V", undefined, 409, "in use", attach],
  ["deleting it with a service on its way in", "DELETE V", undefined, 409, "in use", moving("attachToVPC")],
  ["deleting it with a service on its way out", "DELETE V", undefined, 409, "in use", leaving],
  ["deleting a VPC with a peering", "DELETE V", undefined, 409, "in use", withPeering],
  ["deleting it while a peering leaves", "DELETE V", undefined, 409, "VPC is already being updated", peeringLeaves],
  ["renaming it while a peering leaves", "POST V/rename", { name: "x" }, 409, "already being updated", peeringLeaves],
  ["a peering while one is provisioned", "POST V/peerings", peer, 409, "VPC is already being updated", provisioning],
  ["a peering of a new VPC", "POST V/peerings", peer, 409, "not ready", vpc({ status: "CREATING" })],
  ["a peering too many", "POST V/peerings", peer, 400, "maximum", withManyPeerings],
])("%s is refused: %s", async (...refusal) => {
  const [, , , status, text] = refusal;
  expect(await refusalOf(refusal)).toEqual([status, textWith(text)]);
});

test("an object of another project is not found, even where the caller may see both", async () => {
  const projects = [
    { id: "projecta", name: "a" },
    { id: "projectb", name: "b" },
  ];
  const { emulator, call } = await openWithVpcAndService({ projects, callers: [{ token: "user", kind: "oauth" }] });
  const { id } = emulator.mutate.createService({ projectId: "projectb" });
  const made = emulator.mutate.createVpc({ projectId: "projectb" });
  const statusOf = async (path: string): Promise<number> =>
    (await call("GET", `/projects/${path}`, undefined, { token: "user" })).status;
  for (const path of [`services/${id}`, `vpcs/${made.id}`])
    expect([await statusOf(`projectb/${path}`), await statusOf(`projecta/${path}`)]).toEqual([200, 404]);
});

test("a paused service can still be renamed, tagged, forked and deleted", async () => {
  const fixture = await openWithVpcAndService();
  const { ask, fill, emulator } = fixture;
  pause(fixture);
  await ask(200, "POST", fill("S/rename"), { name: "x" });
  await ask(200, "POST", fill("S/setEnvironment"), { environment: "PROD" });
  emulator.settle();
  await ask(202, "POST", fill("S/forkService"), now);
  await ask(202, "DELETE", fill("S"));
  expect(emulator.state().services[0]).toMatchObject({ status: "DELETING", name: "x", environment: "PROD" });
});
