// VPCs and peerings: over time, and what is refused about them and about services that want in.

import { expect, test } from "vitest";
import { openEmulator } from "../support/emulator";
import {
  attach,
  expectRefused,
  ofVpc,
  openWithVpcAndService,
  peer,
  type Refusal,
  type Fixture,
} from "../support/refusals";
import type { VpcMutation } from "../../../emulator/index";

const make =
  (fields: VpcMutation) =>
  ({ emulator, vpcId }: Fixture): unknown =>
    emulator.mutate.vpc(vpcId, fields);

const withPeering = ({ emulator, vpcId }: Fixture): string => emulator.mutate.createPeering(vpcId).id;

const peeringLeaves = (fixture: Fixture): unknown =>
  fixture.ask(204, "DELETE", fixture.fill(`V/peerings/${withPeering(fixture)}`));

const onItsWay = (operation: string) => (fixture: Fixture) =>
  fixture.ask(202, "POST", fixture.fill(`S/${operation}`), ofVpc(fixture));

const unknownVpc = { status: 404, text: "no VPC with that id was found" };
const busy = { status: 409, text: "VPC is already being updated" };
const inUse = { request: "DELETE V", status: 409, text: /in use/ };
const attaching = { request: "POST S/attachToVPC", body: ofVpc };

const refusals: Refusal[] = [
  { what: "unknown VPC", request: "GET P/vpcs/1", ...unknownVpc },
  { what: "peerings of an unknown VPC", request: "GET P/vpcs/1/peerings", ...unknownVpc },
  { what: "unknown peering", request: "GET V/peerings/1", status: 404, text: /no peering/ },
  {
    what: "a VPC in the other cloud",
    request: "POST P/vpcs",
    body: { name: "v", cidr: "10.0.0.0/16", region_code: "az-westeurope" },
    status: 400,
    text: /not available/,
  },
  {
    what: "attach to an unknown VPC",
    ...attaching,
    body: { vpc_id: "404" },
    status: 404,
    text: "target VPC does not exist",
  },
  {
    what: "attach to a VPC of another region",
    prepare: make({ regionCode: "eu-west-1" }),
    ...attaching,
    status: 400,
    text: /different regions/,
  },
  { what: "attach of an attached service", prepare: attach, ...attaching, status: 400, text: /already attached/ },
  {
    what: "attach to a VPC that is being created",
    prepare: make({ status: "CREATING" }),
    ...attaching,
    status: 409,
    text: /not ready/,
  },
  {
    what: "attach to a full VPC",
    options: { switches: { maxAttached: 0 } },
    ...attaching,
    status: 400,
    text: /maximum number of services/,
  },
  {
    what: "detach from a VPC it is not in",
    request: "POST S/detachFromVPC",
    body: ofVpc,
    status: 400,
    text: /not attached/,
  },
  {
    what: "detach from another VPC",
    prepare: attach,
    request: "POST S/detachFromVPC",
    body: { vpc_id: "404" },
    status: 400,
    text: /not attached/,
  },
  { what: "deleting with a service in it", prepare: attach, ...inUse },
  { what: "deleting with a service on its way in", prepare: onItsWay("attachToVPC"), ...inUse },
  {
    what: "deleting with a service on its remedy",
    prepare: async (fixture) => [attach(fixture), await onItsWay("detachFromVPC")(fixture)],
    ...inUse,
  },
  { what: "deleting with a peering", prepare: withPeering, ...inUse },
  { what: "deleting while a peering leaves", prepare: peeringLeaves, request: "DELETE V", ...busy },
  {
    what: "renaming while a peering leaves",
    prepare: peeringLeaves,
    request: "POST V/rename",
    body: { name: "x" },
    ...busy,
  },
  {
    what: "a second peering while one is provisioned",
    prepare: ({ ask, fill }) => ask(201, "POST", fill("V/peerings"), peer),
    request: "POST V/peerings",
    body: peer,
    ...busy,
  },
  {
    what: "a peering of a VPC that is being created",
    prepare: make({ status: "CREATING" }),
    request: "POST V/peerings",
    body: peer,
    status: 409,
    text: /not ready/,
  },
  {
    what: "one peering too many",
    options: { switches: { maxPeerings: 1 } },
    prepare: withPeering,
    request: "POST V/peerings",
    body: peer,
    status: 400,
    text: /maximum number of peerings/,
  },
];

test.each(refusals)("$what: $status", async (refusal) => {
  await expect(expectRefused(refusal)).resolves.toBeUndefined();
});

test("a VPC is created at once and has exactly four fields", async () => {
  const { ask, askList, paths } = await openEmulator();
  const body = { cidr: "10.1.0.0/16", name: "net", region_code: "us-east-1" };
  const made = await ask(201, "POST", paths.vpcs, body);
  expect(made).toEqual({ id: expect.stringMatching(/^[0-9]+$/) as unknown, ...body });
  expect(await ask(200, "GET", paths.vpc(String(made["id"])))).toEqual(made);
  expect(await askList(paths.vpcs)).toEqual([made]);
});

test("deleting a VPC takes a while behind its 204, may be repeated, and ends in 404", async () => {
  const { ask, call, paths, clock, emulator } = await openEmulator();
  const path = paths.vpc(emulator.mutate.createVpc().id);
  await ask(204, "DELETE", path);
  await ask(200, "GET", path);
  await ask(204, "DELETE", path);
  clock.advance(100);
  expect((await call("GET", path)).status).toBe(404);
  expect((await call("DELETE", path)).status).toBe(404);
  expect(emulator.state().vpcs).toEqual([]);
});

test("a peering has its id after a while, then its VPC is free again, then it is accepted", async () => {
  const { ask, paths, clock, emulator } = await openEmulator();
  const vpcId = emulator.mutate.createVpc().id;
  const made = await ask(201, "POST", paths.peerings(vpcId), peer);
  expect(made).toEqual({ id: expect.stringMatching(/^[0-9]+$/) as unknown, ...peer, status: "pending" });
  const get = (): Promise<unknown> => ask(200, "GET", paths.peering(vpcId, String(made["id"])));
  clock.advance(100);
  const provisioned = { status: "pending", provisioned_id: expect.stringMatching(/^pcx-0[0-9a-f]{8}$/) as unknown };
  expect(await get()).toEqual({ ...made, ...provisioned });
  await ask(201, "POST", paths.peerings(vpcId), peer);
  clock.advance(100);
  expect(await get()).toEqual({ ...made, ...provisioned, status: "active" });
});

test("a peering stays pending until it is accepted in the console", async () => {
  const { ask, paths, clock, emulator } = await openEmulator({
    timings: { peeringProvision: 0, peeringActive: Infinity },
  });
  const vpcId = emulator.mutate.createVpc().id;
  const made = await ask(201, "POST", paths.peerings(vpcId), peer);
  const get = (): Promise<unknown> => ask(200, "GET", paths.peering(vpcId, String(made["id"])));
  clock.advance(1e9);
  expect(await get()).toMatchObject({ status: "pending", provisioned_id: expect.stringContaining("pcx-") as unknown });
  emulator.mutate.peering(String(made["id"]), { status: "active" });
  expect(await get()).toMatchObject({ status: "active" });
});

test("a peering that fails says why and has no provisioned id", async () => {
  const { ask, paths, emulator } = await openEmulator({ switches: { peeringError: "no such account" } });
  const vpcId = emulator.mutate.createVpc().id;
  const made = await ask(201, "POST", paths.peerings(vpcId), peer);
  emulator.settle();
  const failed = await ask(200, "GET", paths.peering(vpcId, String(made["id"])));
  expect(failed).toEqual({ ...made, status: "failed", error_message: "no such account" });
});

test("deleting a peering is asynchronous behind its 204; the VPC can go once it has left", async () => {
  const fixture = await openWithVpcAndService();
  const { ask, call, fill, clock } = fixture;
  const path = fill(`V/peerings/${withPeering(fixture)}`);
  await ask(204, "DELETE", path);
  await ask(200, "GET", path);
  await ask(204, "DELETE", path);
  clock.advance(100);
  expect((await call("GET", path)).status).toBe(404);
  await ask(204, "DELETE", fill("V"));
});
