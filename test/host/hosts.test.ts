// Hosts share nothing: each has its own memory, locks and sessions. And the entry of the provider process, called in this
// one: which settings it takes, and from where.

import type * as pulumi from "@pulumi/pulumi";
import { expect, test, vi } from "vitest";
import { configKeys, environmentName, environmentSource, readSettings } from "../../provider/domain/config/config";
import { provider } from "../../provider/host";
import { createHost, type Host } from "../../provider/host/host";

const environment = { DBCLOUD_API_KEY: "key", DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" };
const open = (): Host => createHost({ environment, argv: [], console });

const urnOf = (logical: string): string => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::${logical}`;

/** What the check of a service of this name says, as another resource than before. */
async function failuresOf(host: Host, logical: string): Promise<string[]> {
  const given = { name: "orders", __urn: urnOf(logical) };
  const { failures = [] } = (await host.provider("service").check?.({}, given)) ?? {};
  return failures.map(({ reason }) => reason);
}

test("the handlers of one host know of each other, those of another host do not", async () => {
  const [one, other] = [open(), open()];
  expect(await failuresOf(one, "first")).toEqual([]);
  expect(await failuresOf(other, "second")).toEqual([]);
  expect(await failuresOf(one, "second")).toEqual([expect.stringContaining("is declared twice, also by first")]);
});

test("a dependent of what is replaced, which no check came before, is not the resource whose check has failed", async () => {
  const { check, diff } = open().provider("service");
  const olds = { name: "orders", regionCode: "us-east-1" };
  const failed = await check?.(olds, { ...olds, colour: "red", __urn: urnOf("orders") });
  expect(failed?.failures).toHaveLength(1);
  const state = { ...olds, name: "copy", __version: 1, __urn: urnOf("copy") };
  // The program's resource could not change this.
  await expect(diff?.("svc1", state, { name: "copy", regionCode: "eu-west-1" })).resolves.toBeDefined();
});

test("one configuration has one session in a host, and another one in another host", () => {
  const [one, other] = [open(), open()];
  const config = readSettings([environmentSource(environment)]).config;
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
  const config = readSettings([environmentSource(only)]).config;
  expect(() => host.openSession(config)).not.toThrow();
  expect(() => host.openSession({ ...config, baseUrl: "https://production.example/v1" })).toThrow(
    'baseUrl: given "https://production.example/v1"; allowed: only "http://127.0.0.1:9/v1"',
  );
});

/** What the check of a plain service finds wrong under these settings. */
async function failuresUnder(settings: Record<string, unknown>): Promise<string[]> {
  const handlers = provider("service");
  // Pulumi: an explicit Provider may hold any value, whatever the declaration says.
  const get = (key: string): string | undefined => settings[key.replace("dbcloud:", "")] as string | undefined;
  const config: pulumi.dynamic.Config = { get, require: (key) => get(key) ?? "" };
  await handlers.configure?.({ config });
  const { failures = [] } = (await handlers.check?.({}, { name: "orders" })) ?? {};
  expect(failures.map(({ property }) => property)).toEqual(failures.map(() => ""));
  return failures.map(({ reason }) => reason);
}

const DURATION = 'a duration such as "200ms", "1s", "45m" or "12h"';
const NO_ADDRESS: [string, string] = ["ftp://example.com/v1", "an http(s) address that ends in the version segment"];
const MALFORMED: Record<string, [given: string, allowed: string]> = {
  apiKey: ["", "a non-empty string"],
  projectId: ["", "a non-empty string"],
  baseUrl: NO_ADDRESS,
  formerBaseUrl: NO_ADDRESS,
  pollInterval: ["abc", DURATION],
  pollIntervalMax: ["15", DURATION],
  maxRequestsPerSecond: ["many", "a number above 0"],
  maxConcurrency: ["1.5", "a whole number, at least 1"],
  allowInsecure: ["maybe", "true or false"],
  quiet: ["2", "true or false"],
  deletionProtection: ["on", "true or false"],
  readOnly: ["some", "true or false"],
};

/** What is not repeated, because a key may stand there. */
const NOT_SHOWN = "a URL that is not http(s)";
const SHOWN: Record<string, string> = { apiKey: "[secret]", baseUrl: NOT_SHOWN, formerBaseUrl: NOT_SHOWN };

test("a malformed setting is told: every key is among them", () => {
  expect(Object.keys(MALFORMED)).toEqual(expect.arrayContaining(Object.keys(configKeys)));
});

test.each(Object.entries(MALFORMED))("a malformed setting is told: %s", async (key, [given, allowed]) => {
  const shown = SHOWN[key] ?? JSON.stringify(given);
  const says = (place: string): unknown => [expect.stringContaining(`${place}: given ${shown}; allowed: ${allowed}`)];
  expect(await failuresUnder({ [key]: given })).toEqual(says(`configuration dbcloud:${key}`));
  const asArgument = { explicit: "true", [key]: given };
  expect(await failuresUnder(asArgument)).toEqual(says(`argument ${key} of the Provider`));
  if (given === "") return; // An empty variable counts as not set.
  vi.stubEnv(environmentName(key), given);
  expect(await failuresUnder({})).toEqual(says(`environment variable ${environmentName(key)}`));
});

test("a malformed setting is told: numbers, switches and objects of a Provider are judged as what they are", async () => {
  expect(await failuresUnder({ explicit: "true", maxConcurrency: 4, quiet: true })).toEqual([]);
  for (const [value, shown] of [
    [0, '"0"'],
    [{ at: 4 }, '"{\\"at\\":4}"'],
  ] as const) {
    expect(await failuresUnder({ explicit: "true", maxConcurrency: value })).toEqual([
      expect.stringContaining(`argument maxConcurrency of the Provider: given ${shown}; allowed: `),
    ]);
  }
});

test.each(["svc1234567", "orders=svc1234567,net", "=svc1234567", "orders="])(
  "a malformed setting is told: DBCLOUD_ADOPT=%s",
  async (words) => {
    const host = createHost({ environment: { ...environment, DBCLOUD_ADOPT: words }, argv: [], console });
    const wrong = words.split(",").at(-1);
    expect(await failuresOf(host, "orders")).toEqual([
      expect.stringContaining(`environment variable DBCLOUD_ADOPT: given "${wrong}"; allowed: RESOURCE=ID, such as `),
    ]);
  },
);

test("a malformed setting is told: an address to which the key must not go", async () => {
  const http = { baseUrl: "http://control.example/v1" };
  expect(await failuresUnder(http)).toEqual([expect.stringContaining("uses plain http")]);
  expect(await failuresUnder({ ...http, allowInsecure: "true" })).toEqual([]);
  expect(await failuresUnder({ baseUrl: "http://localhost:1/v1" })).toEqual([]);
});

test("a malformed setting is told: a missing key or address is none", async () => {
  expect(await failuresUnder({})).toEqual([]);
});

test("a malformed setting is told: one that an explicit Provider or the environment overrules is none", async () => {
  vi.stubEnv("DBCLOUD_POLL_INTERVAL", "1s");
  expect(await failuresUnder({ pollInterval: "abc" })).toEqual([]);
  vi.stubEnv("DBCLOUD_POLL_INTERVAL", "abc");
  expect(await failuresUnder({ explicit: "true", pollInterval: "1s" })).toEqual([]);
});
