// Which value counts where several places give one, and which may decide about the key.

import { describe, expect, test } from "vitest";
import {
  type ConfigSource,
  environmentName,
  environmentSource,
  readSettings,
} from "../../provider/domain/config/config";
import { ConfigError } from "../../provider/domain/errors";
import { checkKeyRoute } from "../../provider/domain/config/keyRoute";

type Values = Record<string, string>;

const from = (origin: ConfigSource["origin"], values: Values): ConfigSource => ({ origin, read: (key) => values[key] });
const environment = (values: Values): ConfigSource => from("environment", values);
const stack = (values: Values): ConfigSource => from("stack", values);
const given = (values: Values): ConfigSource => from("provider", values);

const key = "key-0123456789";
const yes = { allowInsecure: "true" };

describe("allowInsecure counts from where the key comes from, or from a more trusted place", () => {
  test.each<[string, ConfigSource[], boolean]>([
    ["both from the environment", [environment({ apiKey: key, ...yes }), stack({})], true],
    ["both from the stack", [environment({}), stack({ apiKey: key, ...yes })], true],
    ["a key from the stack, the word from the environment", [environment(yes), stack({ apiKey: key })], true],
    ["a key from the environment, the word from the stack", [environment({ apiKey: key }), stack(yes)], false],
    ["both from a Provider", [given({ apiKey: key, ...yes }), environment({})], true],
    ["a key from the environment, the word from a Provider", [given(yes), environment({ apiKey: key })], false],
    ["the word from a Provider and the environment", [given(yes), environment({ apiKey: key, ...yes })], true],
    ["a Provider that forbids it", [given({ allowInsecure: "false" }), environment({ apiKey: key, ...yes })], false],
  ])("%s: %#", (_, sources, expected) => {
    expect(readSettings(sources).config.allowInsecure).toBe(expected);
  });

  test("a malformed one is reported, wherever it is", () => {
    const sources = [environment({ apiKey: key }), stack({ allowInsecure: "perhaps" })];
    expect(() => readSettings(sources)).toThrow(/allowInsecure: given "perhaps"/);
  });
});

test("a project is read without the space or line end around it, and is not only space", () => {
  expect(readSettings([environment({ projectId: " proj000001\n" })]).config.projectId).toBe("proj000001");
  expect(() => readSettings([environment({ projectId: " " })])).toThrow(
    /DBCLOUD_PROJECT_ID: given " "; allowed: a non-/,
  );
});

test.each<[ConfigSource["origin"], RegExp]>([
  ["environment", /environment variable DBCLOUD_API_KEY\. Correct DBCLOUD_API_KEY/],
  ["provider", /argument apiKey of the Provider\. .*removed that `Provider`, add it back.* run `pulumi up` once/],
  ["stack", /configuration dbcloud:apiKey\. .*config set --secret dbcloud:apiKey/],
])("the remedy for a refused key names its source, the %s", (origin, words) => {
  expect(readSettings([from(origin, { apiKey: key })]).config.keyRemedy).toMatch(words);
});

test.each<[string, ConfigSource[], string | undefined]>([
  ["nobody says anything", [environment({}), stack({})], undefined],
  ["the environment", [environment({ readOnly: "1" }), stack({})], "in the environment, or unset it"],
  ["the stack", [environment({}), stack({ readOnly: "yes" })], "configuration dbcloud:readOnly"],
  ["a false before the stack", [environment({ readOnly: "0" }), stack({ readOnly: "1" })], undefined],
  ["a Provider", [given({ readOnly: "true" }), environment({ readOnly: "no" })], "argument readOnly of the Provider"],
  ["a Provider that lifts it", [given({ readOnly: "false" }), environment({ readOnly: "1" })], "DBCLOUD_"],
])("readOnly is decided by the first source, and none lifts what the environment forbids: %s", (_, sources, remedy) => {
  const { readOnly, readOnlyRemedy } = readSettings(sources).config;
  expect(readOnly).toBe(remedy !== undefined);
  expect(readOnlyRemedy ?? "").toContain(remedy ?? "");
});

test("a word that is neither true nor false guards nothing, and is refused", () => {
  expect(() => readSettings([environment({ readOnly: "prod" })])).toThrow(
    /DBCLOUD_READ_ONLY: given "prod"; allowed: true or false/,
  );
});

describe("where a command that runs no program sends the key", () => {
  const baseUrl = "https://control.example:8443/v1";
  const route = (sources: ConfigSource[], allowed?: string): (() => void) => {
    return () => checkKeyRoute(readSettings(sources), allowed);
  };

  test.each<[string, ConfigSource[]]>([
    ["a flag", [from("flag", { baseUrl }), environment({ apiKey: key })]],
    ["the environment", [environment({ apiKey: key, baseUrl }), stack({ baseUrl: "https://evil.example/v1" })]],
    ["the stack, with the stack's own key", [environment({}), stack({ apiKey: key, baseUrl })]],
    ["the stack, where there is no key", [environment({}), stack({ baseUrl })]],
  ])("to an address from %s", (_, sources) => {
    expect(route(sources)).not.toThrow();
  });

  test("not to an address from the stack with the environment's key; what to set is said, and works", () => {
    const sources = [environment({ apiKey: key }), stack({ baseUrl })];
    expect(route(sources)).toThrow(ConfigError);
    expect(route(sources)).toThrow(/not sent to https:\/\/control\.example:8443\/v1/);
    expect(route(sources, "other.example, CONTROL.example:8443")).not.toThrow();
    expect(route(sources, "control.example")).toThrow(ConfigError);
    expect(route(sources, "example:8443")).toThrow(ConfigError);
    expect(route(sources, "")).toThrow(ConfigError);
  });
});

describe("an address is not repeated when it may hold a secret", () => {
  test.each([
    ["https://admin:pa55word@control.example/v1", "an address with credentials in it"],
    ["https://admin@control.example/v1", "an address with credentials in it"],
    ["sk-pa55word-pasted", "a string that is not a URL"],
    ["pa55word:more", "a URL that is not http(s)"],
    ["https://control.example/v1?token=pa55word", "an address with a query or a fragment"],
    ["https://control.example/v1#pa55word", "an address with a query or a fragment"],
  ])("%s", (baseUrl, words) => {
    const error = configError([environment({ baseUrl })]);
    expect(error.message).toContain(`DBCLOUD_BASE_URL: given ${words}; allowed: `);
    expect(error.fullMessage).not.toContain("pa55word");
  });

  test.each(["baseUrl", "projectId"])("%s with the key in it", (setting) => {
    const value = setting === "baseUrl" ? `https://control.example/${key}/v1` : key;
    const error = configError([environment({ apiKey: key, [setting]: value })]);
    expect(error.message).toContain(`${environmentName(setting)}: given a value that contains the API key`);
    expect(error.fullMessage).not.toContain(key);
  });

  test("a short key that an address has in it by chance is none", () => {
    expect(readSettings([environment({ apiKey: "v1", baseUrl: "https://control.example/v1" })]).config.apiKey).toBe(
      "v1",
    );
  });
});

test("the environment's names", () => {
  const { origin, read } = environmentSource({ DBCLOUD_BASE_URL: "x", DBCLOUD_API_KEY: "" });
  expect([origin, read("baseUrl"), read("apiKey")]).toEqual(["environment", "x", undefined]);
});

function configError(sources: ConfigSource[]): ConfigError {
  try {
    readSettings(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("it was taken");
}

test("no pause is longer than the longest one: a refresh that reads twice would outlast its deadline", () => {
  const pausesOf = (values: Values): number[] => {
    const { pollIntervalMs, pollIntervalMaxMs } = readSettings([stack(values)]).config;
    return [pollIntervalMs, pollIntervalMaxMs];
  };
  expect(pausesOf({})).toEqual([1_000, 15_000]);
  expect(pausesOf({ pollInterval: "10m" })).toEqual([15_000, 15_000]);
  expect(pausesOf({ pollInterval: "10m", pollIntervalMax: "1m" })).toEqual([60_000, 60_000]);
});
