// Settings that nobody reads: which names are refused, which are reported, and which belong to others.

import { describe, expect, test } from "vitest";
import { configKeys, environmentName } from "../../provider/domain/config/config";
import { refusalOf, unknownKeys, unknownVariables, warningsOf } from "../../provider/domain/config/unknownNames";
import { textLike, textWith } from "../support/matchers";

describe("a variable", () => {
  const found = (name: string, value = "1") => unknownVariables({ [name]: value });

  test("of ours is known, and so are those of the emulator and of the repository's scripts", () => {
    const names =
      "DBCLOUD_ADOPT DBCLOUD_ALLOWED_HOSTS DBCLOUD_DEBUG DBCLOUD_SHOW_CALLS DBCLOUD_ONLY_BASE_URL " +
      "DBCLOUD_EMULATOR_ADMIN_URL DBCLOUD_EMULATOR_ADMIN_KEY DBCLOUD_TOOLS_CACHE DBCLOUD_PULUMI_ROOT " +
      "DBCLOUD_BENCH_PROBE PATH TF_VAR_dbcloud_readonly MY_DBCLOUD_KEY PULUMI_DBCLOUD_READ_ONLY";
    const settings = Object.keys(configKeys).map(environmentName);
    for (const name of [...settings, ...names.split(" ")]) expect([name, found(name)]).toEqual([name, []]);
    // Windows finds a variable under any case.
    expect(unknownVariables({ dbcloud_read_only: "1", DBCLOUD_READ_ONLY: "1" })).toEqual([]);
  });

  test.each([
    ["DBCLOUD_READONLY", "DBCLOUD_READ_ONLY"],
    ["DBCLOUD_READ_ONL", "DBCLOUD_READ_ONLY"],
    ["DBCLOUD_RAED_ONLY", "DBCLOUD_READ_ONLY"],
    ["DBCLOUD_READ", "DBCLOUD_READ_ONLY"],
    ["dbcloud_read_only", "DBCLOUD_READ_ONLY"],
    ["DBCLOUD_PROJECT", "DBCLOUD_PROJECT_ID"],
    ["DBCLOUD_BASEURL", "DBCLOUD_BASE_URL"],
    ["DBCLOUD_APIKEY", "DBCLOUD_API_KEY"],
    ["DBCLOUD_ADOPTS", "DBCLOUD_ADOPT"],
    ["DBCLOUD_ONLY_BASEURL", "DBCLOUD_ONLY_BASE_URL"],
    ["DBCLOUD_ALLOW_HOSTS", "DBCLOUD_ALLOWED_HOSTS"],
    // These have a name of ours in them.
    ["DBCLOUD_ONY_BASE_URL", "DBCLOUD_ONLY_BASE_URL"],
    ["DBCLOUD_API_KEY_", "DBCLOUD_API_KEY"],
    ["DBCLOUD__API_KEY", "DBCLOUD_API_KEY"],
  ])("%s is refused in favour of %s, without its value, unless it is empty", (name, meant) => {
    expect(found(name, "a-secret")).toMatchObject([{ isRefused: true, message: textWith(`did you mean ${meant}?`) }]);
    expect(found(name, "a-secret")[0]?.message).toContain(name);
    expect(JSON.stringify(found(name, "a-secret"))).not.toContain("a-secret");
    expect(found(name, "")).toEqual([]);
  });

  test.each([
    ..."TEAM API_KEY_EU API_KEY_US API_KEY_QA API_KEY_2 API_KEY_ID PROJECT_ID_EU BASE_URL_EU API_KEY_PROD API_KEY2".split(
      " ",
    ),
    ..."EU_API_KEY US_BASE_URL QA_PROJECT_ID STAGING_API_KEY READ_ONLY_KEY ONLY_BASE_URL_EU".split(" "),
  ])("DBCLOUD_%s is near to no name of ours, and only reported", (name) => {
    expect(found(`DBCLOUD_${name}`, "value-of-it")).toMatchObject([{ isRefused: false, message: textWith(name) }]);
    expect(found(`dbcloud_${name.toLowerCase()}`, "value-of-it")).toMatchObject([{ isRefused: false }]);
  });

  test("of somebody's own is reported together with all others of the kind", () => {
    const all = unknownVariables({ DBCLOUD_API_KEY_EU: "a", DBCLOUD_API_KEY_US: "b", DBCLOUD_US_BASE_URL: "c" });
    expect(warningsOf(all)).toEqual([
      "environment variables that this package does not read: DBCLOUD_API_KEY_EU, DBCLOUD_API_KEY_US, " +
        "DBCLOUD_US_BASE_URL. Nothing needs to change if the program reads it.",
    ]);
  });
});

describe("a key of stack config", () => {
  const found = (key: string, environment = {}) => unknownKeys([key], environment);

  test("of ours, or of another namespace, is known", () => {
    const keys = [...Object.keys(configKeys).map((key) => `dbcloud:${key}`), "aws:region", "shop:apiKey"];
    expect(unknownKeys(keys, {})).toEqual([]);
  });

  test.each([
    ["dbcloud:readonly", "readOnly"],
    ["dbcloud:readOnl", "readOnly"],
    ["dbcloud:read-only", "readOnly"],
    ["dbcloud:projectid", "projectId"],
    ["dbcloud:apiKeys", "apiKey"],
    ["dbcloud:projectIdd", "projectId"],
    ["dbcloud:pollIntervalMx", "pollIntervalMax"],
    ["dbcloud:quietly", "quiet"],
  ])("%s adds no whole word, and is refused in favour of dbcloud:%s", (key, meant) => {
    const remedy = textLike(new RegExp(`\`pulumi config rm ${key}\`.*${environmentName(meant)} in the environment`));
    const message = textWith(`did you mean dbcloud:${meant}?`);
    expect(found(key)).toMatchObject([{ isRefused: true, message, remedy }]);
  });

  test.each(
    "apiKeyStaging apiKeyEu apiKey2 projectIdStaging baseUrlStaging readOnlyHost quietHours euApiKey qaBaseUrl".split(
      " ",
    ),
  )("dbcloud:%s adds whole words to a name of ours, and is somebody's own", (name) => {
    expect(found(`dbcloud:${name}`)).toMatchObject([{ isRefused: false, message: textWith(`dbcloud:${name}`) }]);
  });

  test("is a warning that says why the run goes on, where the variable of the setting decides", () => {
    expect(found("dbcloud:projectid", { DBCLOUD_PROJECT_ID: "proj000001" })).toMatchObject([
      {
        isRefused: false,
        remedy:
          "Run `pulumi config rm dbcloud:projectid` and set the right one, or DBCLOUD_PROJECT_ID in the environment, which decides.",
      },
    ]);
  });

  test("of somebody's own is reported together with all others of the kind", () => {
    const all = unknownKeys(["dbcloud:apiKeyEu", "dbcloud:apiKey", "dbcloud:apiKeyUs"], {});
    expect(warningsOf(all)).toEqual([
      textWith("configuration that this package does not read: dbcloud:apiKeyEu, dbcloud:apiKeyUs. Nothing needs"),
    ]);
  });

  test("is quoted in the command to copy", () => {
    const [one] = found("dbcloud:read$only");
    expect(one?.remedy).toContain("`pulumi config rm 'dbcloud:read$only'`");
  });

  test("that is near to none, or is the project's own, is reported", () => {
    expect(found("dbcloud:ordersPassword")).toMatchObject([
      { isRefused: false, message: textWith("does not read: dbcloud:ordersPassword") },
    ]);
    expect(found("shop:readOnly")).toMatchObject([
      { isRefused: false, message: textWith("did you mean dbcloud:readOnly?") },
    ]);
  });
});

test("all that is refused is one error", () => {
  const all = unknownVariables({ DBCLOUD_READONLY: "1", DBCLOUD_PROJECT: "p", DBCLOUD_TEAM: "t" });
  expect(refusalOf(all)?.message.split("\n")).toHaveLength(2);
  expect(warningsOf(all)).toEqual([textWith("that this package does not read: DBCLOUD_TEAM. Nothing")]);
  expect(warningsOf(unknownKeys(["shop:readOnly"], {}))).toEqual([textWith("dbcloud:readOnly? Run")]);
  expect(refusalOf([])).toBeUndefined();
});
