// Without options the emulator is as strict as deployments are: a program that passes here must not fail there.

import { expect, test } from "vitest";
import { openEmulator, openWithService } from "../support/emulator";

test("a region that nobody has is refused for services and VPCs, and a switch names others", async () => {
  const { call, paths, emulator } = await openEmulator();
  const service = { name: "orders", region_code: "us-east1" };
  const vpc = { name: "net", cidr: "10.0.0.0/16", region_code: "us-east1" };
  for (const [path, body] of [
    [paths.services, service],
    [paths.vpcs, vpc],
  ] as const) {
    const { status, text } = await call("POST", path, body);
    expect([status, text]).toEqual([
      400,
      expect.stringContaining('there is no region \\"us-east1\\"; there are us-east-1'),
    ]);
  }
  expect(emulator.state()).toMatchObject({ services: [], vpcs: [] });
  emulator.settings.switches.regions = ["us-east1"];
  expect((await call("POST", paths.services, service)).status).toBe(202);
  expect((await call("POST", paths.vpcs, vpc)).status).toBe(201);
});

test("a password of seven characters is refused, and one of eight is taken", async () => {
  const { call, path, emulator } = await openWithService();
  emulator.settle();
  expect((await call("POST", `${path}/updatePassword`, { password: "abcdefg" })).status).toBe(400);
  expect((await call("POST", `${path}/updatePassword`, { password: "abcdefgh" })).status).toBe(204);
});

test.each([
  ["P", { region_code: "us-east-1" }, "name is missing"],
  ["P", { name: 7 }, "name: must be a string"],
  ["P", { name: "x", replica_count: -1 }, "replica_count: must be at least 0"],
  ["P", { name: "n".repeat(129) }, "name: must have at most 128 characters"],
  ["P", { name: "x", environment_tag: "prod" }, 'environment_tag is one of DEV, PROD; not "prod"'],
])("%s %j is refused in the words of the API: %s", async (_, body, words) => {
  const { call, paths } = await openEmulator();
  const { status, json } = await call("POST", paths.services, body);
  expect([status, json]).toEqual([
    400,
    { code: "INVALID_REQUEST", message: expect.stringContaining(words) as unknown },
  ]);
});

test("a query says what it must be by the name of the parameter", async () => {
  const { call, path } = await openWithService();
  const { json } = await call("GET", `${path}/logs?node=first`);
  expect(json).toMatchObject({ message: "invalid request: node: must be a number" });
});

test("the admin API refuses a status that the contract does not have", async () => {
  const { emulator } = await openWithService();
  const [service] = emulator.state().services;
  const change = (status: string): Promise<Response> =>
    fetch(`${emulator.adminUrl}/services/${service?.id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${emulator.adminKey}` },
      body: JSON.stringify({ status }),
    });
  expect((await change("BANANA")).status).toBe(400);
  expect((await change("UNSTABLE")).status).toBe(200);
});
