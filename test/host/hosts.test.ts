// Hosts share nothing: each has its own memory, locks and sessions.

import { expect, test } from "vitest";
import { environmentSource, readConfig } from "../../provider/domain/config/config";
import { createHost, type Host } from "../../provider/host/host";

const environment = { DBCLOUD_API_KEY: "key", DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" };
const open = (): Host => createHost({ environment, argv: [], console });

/** What the check of a service of this name says, as another resource than before. */
async function failuresOf(host: Host, logical: string): Promise<string[]> {
  const __urn = `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::${logical}`;
  const { failures = [] } = (await host.provider("service").check?.({}, { name: "orders", __urn })) ?? {};
  return failures.map(({ reason }) => reason);
}

test("the handlers of one host know of each other, those of another host do not", async () => {
  const [one, other] = [open(), open()];
  expect(await failuresOf(one, "first")).toEqual([]);
  expect(await failuresOf(other, "second")).toEqual([]);
  expect(await failuresOf(one, "second")).toEqual([expect.stringContaining("is declared twice, also by first")]);
});

test("one configuration has one session in a host, and another one in another host", () => {
  const [one, other] = [open(), open()];
  const config = readConfig([environmentSource(environment)]);
  const session = one.openSession(config);
  expect(one.openSession({ ...config })).toBe(session);
  expect(one.openSession({ ...config, apiKey: "another" })).not.toBe(session);
  const elsewhere = other.openSession(config);
  expect(elsewhere).not.toBe(session);
  expect(elsewhere.locks).not.toBe(session.locks);
});

test("the one address that the environment allows: another is refused before there is a client for it", () => {
  const only = { ...environment, DBCLOUD_ONLY_BASE_URL: environment.DBCLOUD_BASE_URL };
  const host = createHost({ environment: only, argv: [], console });
  const config = readConfig([environmentSource(only)]);
  expect(() => host.openSession(config)).not.toThrow();
  expect(() => host.openSession({ ...config, baseUrl: "https://production.example/v1" })).toThrow(
    'baseUrl: given "https://production.example/v1"; allowed: only "http://127.0.0.1:9/v1"',
  );
});
