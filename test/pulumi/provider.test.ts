import * as pulumi from "@pulumi/pulumi";
import { expect, expectTypeOf, test, vi } from "vitest";
import type { ConfigKey } from "../../provider/domain/config/config";
import { Provider, type ProviderArgs, Service } from "../../provider/index";
import { sentBy, startProgram } from "./program";

function secret(value: string): object {
  return { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value };
}

test("a provider sends its settings under the configuration's keys, with the API key as a secret", async () => {
  const program = await startProgram();
  const provider = new Provider("second", {
    apiKey: "plain-key",
    projectId: pulumi.output("p2"),
    baseUrl: "http://127.0.0.1:8787/v1",
    pollInterval: "200ms",
    maxRequestsPerSecond: 5,
    maxConcurrency: "3",
    quiet: true,
    readOnly: "yes",
  });
  const { type, inputs } = await sentBy(program, provider);
  expect(type).toBe("pulumi:providers:pulumi-nodejs");
  expect(inputs).toEqual({
    "dbcloud:explicit": "true",
    "dbcloud:apiKey": secret("plain-key"),
    "dbcloud:projectId": "p2",
    "dbcloud:baseUrl": "http://127.0.0.1:8787/v1",
    "dbcloud:pollInterval": "200ms",
    "dbcloud:maxRequestsPerSecond": 5,
    "dbcloud:maxConcurrency": "3",
    "dbcloud:quiet": true,
    "dbcloud:readOnly": "yes",
  });
  expect((await sentBy(program, new Provider("bare"))).inputs).toEqual({ "dbcloud:explicit": "true" });
});

test("resources use the provider that they or their parents are given", async () => {
  const program = await startProgram();
  const provider = new Provider("second", { projectId: "p2" });
  const parent = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: [provider] });
  const direct = await sentBy(program, new Service("direct", {}, { provider }));
  const inherited = await sentBy(program, new Service("inherited", {}, { parent }));
  expect(direct.provider).toMatch(/::second::second-id$/);
  expect(inherited.provider).toBe(direct.provider);
});

test("an unknown setting is an error that lists the settings", () => {
  const args = { apikey: "plain-key" } as ProviderArgs;
  expect(() => new Provider("second", args)).toThrow(/no setting apikey; allowed: apiKey, projectId, /);
  expect(() => new Provider("second", args)).not.toThrow(/plain-key/);
});

test("the settings are exactly the configuration's keys", () => {
  expectTypeOf<keyof ProviderArgs>().toEqualTypeOf<ConfigKey>();
});

test.each([
  ["in a preview", true, 1],
  ["in an up", false, 0],
])("%s, a setting that is not known yet is told with what it hides", async (_, preview, count) => {
  const program = await startProgram({ preview });
  if (preview) program.pending.add("db");
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const apiKey = new Service("db", {}).serviceId.apply((id) => `key-of-${id}`);
  await sentBy(program, new Provider("known", { apiKey: "k", projectId: pulumi.output("p2") }));
  await sentBy(program, new Provider("second", { apiKey, projectId: "p2" }));
  await expect.poll(() => warn.mock.calls).toHaveLength(count);
  expect(warn.mock.calls.map(([text]) => text).join()).toMatch(
    count === 0 ? /^$/ : /^Provider second: apiKey is not known .* replacement .* `pulumi up --target`/,
  );
});
