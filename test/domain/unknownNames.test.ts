// Settings that nobody reads: which names are refused, which are warned of, and which belong to the user.

import { describe, expect, test } from "vitest";
import { configKeys, environmentName } from "../../provider/domain/config/config";
import { refusalOf, unknownNames, warningsOf } from "../../provider/domain/config/unknownNames";
import { textWith } from "../support/matchers";

describe("a variable", () => {
  const found = (name: string, value = "a-secret") => unknownNames({ [name]: value });

  test("of ours is known, and so are those of the emulator and of the repository's scripts", () => {
    const names =
      "DBCLOUD_ADOPT DBCLOUD_ALLOWED_HOSTS DBCLOUD_DEBUG DBCLOUD_SHOW_CALLS DBCLOUD_TRACE DBCLOUD_ONLY_BASE_URL " +
      "DBCLOUD_EMULATOR_ADMIN_URL DBCLOUD_EMULATOR_ADMIN_KEY DBCLOUD_TOOLS_CACHE DBCLOUD_PULUMI_ROOT " +
      "DBCLOUD_BENCH_PROBE PATH TF_VAR_dbcloud_readonly MY_DBCLOUD_KEY PULUMI_DBCLOUD_READ_ONLY";
    const settings = Object.keys(configKeys).map(environmentName);
    for (const name of [...settings, ...names.split(" ")]) expect([name, found(name)]).toEqual([name, []]);
    // Windows finds a variable under any case.
    expect(unknownNames({ dbcloud_read_only: "1", DBCLOUD_READ_ONLY: "1" })).toEqual([]);
  });

  test.each([
    ["DBCLOUD_READONLY", "did you mean DBCLOUD_READ_ONLY?"],
    ["DBCLOUD_READ_ONL", "did you mean DBCLOUD_READ_ONLY?"],
    ["DBCLOUD_READONL", "did you mean DBCLOUD_READ_ONLY?"],
    ["DBCLOUD_RAED_ONLY", "did you mean DBCLOUD_READ_ONLY?"],
    ["DBCLOUD_RAED_OLNY", "did you mean DBCLOUD_READ_ONLY?"],
    ["dbcloud_read_only", "did you mean DBCLOUD_READ_ONLY?"],
    ["DBCLOUD_DELETIONPROTECTON", "did you mean DBCLOUD_DELETION_PROTECTION?"],
  ])("%s, which would guard nothing, is refused without its value, unless it is empty: %s", (name, words) => {
    expect(found(name)).toMatchObject([{ isRefused: true, message: textWith(words) }]);
    expect(refusalOf(found(name))?.message).toContain(name);
    expect(JSON.stringify(found(name))).not.toContain("a-secret");
    expect(found(name, "")).toEqual([]);
  });

  test.each([
    ["DBCLOUD_PROJCT_ID", "DBCLOUD_PROJECT_ID"],
    ["DBCLOUD_BASEURL", "DBCLOUD_BASE_URL"],
    ["DBCLOUD_APIKEY", "DBCLOUD_API_KEY"],
    ["DBCLOUD_ADOPTS", "DBCLOUD_ADOPT"],
    ["DBCLOUD_ONLY_BASEURL", "DBCLOUD_ONLY_BASE_URL"],
    ["DBCLOUD_ALLOW_HOSTS", "DBCLOUD_ALLOWED_HOSTS"],
    ["DBCLOUD__API_KEY", "DBCLOUD_API_KEY"],
    ["DBCLOUD_PROJECT", "DBCLOUD_PROJECT_ID"],
  ])("%s is warned of in favour of %s, without its value", (name, meant) => {
    expect(refusalOf(found(name))).toBeUndefined();
    expect(warningsOf(found(name))).toEqual([
      `environment variable ${name}: there is no such setting; did you mean ${meant}? Rename it, or unset it.`,
    ]);
    expect(found(name, "")).toEqual([]);
  });

  test.each([
    ..."API BASE TEAM READ API_KEY_EU API_KEY_QA API_KEY_2 API_KEY_ID PROJECT_ID_EU BASE_URL_EU API_KEY2".split(" "),
    ..."EU_API_KEY US_BASE_URL QA_PROJECT_ID STAGING_API_KEY READ_ONLY_KEY STAGING_READ_ONLY ONLY_BASE_URL_EU".split(
      " ",
    ),
  ])("DBCLOUD_%s is the user's own", (name) => {
    expect(found(`DBCLOUD_${name}`)).toEqual([]);
    expect(found(`dbcloud_${name.toLowerCase()}`)).toEqual([]);
  });
});

describe("a key of stack config", () => {
  const found = (key: string, environment = {}) => unknownNames(environment, [key]);

  test("of ours, or of another namespace, is known", () => {
    const keys = [...Object.keys(configKeys).map((key) => `dbcloud:${key}`), "aws:region", "shop:apiKey"];
    expect(unknownNames({}, keys)).toEqual([]);
  });

  test.each([
    ["dbcloud:readonly", "did you mean dbcloud:readOnly?"],
    ["dbcloud:readOnl", "did you mean dbcloud:readOnly?"],
    ["dbcloud:read-only", "did you mean dbcloud:readOnly?"],
    ["dbcloud:deletionprotection", "did you mean dbcloud:deletionProtection?"],
  ])("%s, which would guard nothing, is refused: %s", (key, words) => {
    expect(found(key)).toMatchObject([
      { isRefused: true, message: textWith(words), remedy: textWith(`\`pulumi config rm ${key}\``) },
    ]);
  });

  test("is a warning where the variable of the setting decides", () => {
    expect(found("dbcloud:readonly", { DBCLOUD_READ_ONLY: "1" })).toMatchObject([{ isRefused: false }]);
  });

  test.each([
    ["dbcloud:projectid", "projectId"],
    ["dbcloud:apiKeys", "apiKey"],
    ["dbcloud:project", "projectId"],
    ["dbcloud:projectIdd", "projectId"],
    ["dbcloud:pollIntervalMx", "pollIntervalMax"],
  ])("%s is warned of in favour of dbcloud:%s", (key, meant) => {
    expect(found(key)).toMatchObject([{ isRefused: false, message: textWith(`did you mean dbcloud:${meant}?`) }]);
  });

  test.each(
    "apiKeyStaging apiKeyEu apiKey2 projectIdStaging baseUrlStaging readOnlyHost quietHours euApiKey ordersPassword".split(
      " ",
    ),
  )("dbcloud:%s is the user's own", (name) => {
    expect(found(`dbcloud:${name}`)).toEqual([]);
  });

  test("is quoted in the command to copy", () => {
    expect(found("dbcloud:read$only")[0]?.remedy).toContain("`pulumi config rm 'dbcloud:read$only'`");
  });

  test("of the project, which may be meant for us, is warned of", () => {
    expect(found("shop:readOnly")).toMatchObject([
      { isRefused: false, message: textWith("did you mean dbcloud:readOnly?") },
    ]);
  });
});

test("all that is refused is one error", () => {
  const all = unknownNames({ DBCLOUD_READONLY: "1", DBCLOUD_RAED_ONLY: "1", DBCLOUD_BASEURL: "t" });
  expect(refusalOf(all)?.message.split("\n")).toHaveLength(2);
  expect(warningsOf(all)).toHaveLength(1);
  expect(refusalOf([])).toBeUndefined();
});
