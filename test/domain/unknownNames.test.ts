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
      "DBCLOUD_BENCH_PROBE PATH TF_VAR_dbcloud_readonly MY_DBCLOUD_KEY PULUMI_DBCLOUD_TEAM";
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
    ["DBCLOUD_READ_ONLY_MODE", "DBCLOUD_READ_ONLY"],
    ["DBCLOUD_DRY_RUN", "DBCLOUD_READ_ONLY"],
    ["dbcloud_read_only", "DBCLOUD_READ_ONLY"],
    ["DB_CLOUD_READ_ONLY", "DBCLOUD_READ_ONLY"],
    ["DBCLOUDREADONLY", "DBCLOUD_READ_ONLY"],
    ["PULUMI_DBCLOUD_READ_ONLY", "DBCLOUD_READ_ONLY"],
    ["DBCLOUD_PROJECT", "DBCLOUD_PROJECT_ID"],
    ["DBCLOUD_BASEURL", "DBCLOUD_BASE_URL"],
    ["DBCLOUD_ADOPTS", "DBCLOUD_ADOPT"],
    ["DBCLOUD_ONY_BASE_URL", "DBCLOUD_ONLY_BASE_URL"],
    ["DBCLOUD_ALLOW_HOSTS", "DBCLOUD_ALLOWED_HOSTS"],
    ["DBCLOUD_API_KEY_", "DBCLOUD_API_KEY"],
    ["DBCLOUD__API_KEY", "DBCLOUD_API_KEY"],
  ])("%s is refused in favour of %s, unless it is empty, and its value is not repeated", (name, meant) => {
    const message = textLike(new RegExp(`${name}.*did you mean ${meant}\\?`));
    expect(found(name, "1")).toMatchObject([{ isRefused: true, message }]);
    expect(JSON.stringify(found(name, "a-secret"))).not.toContain("a-secret");
    expect(found(name, "")).toEqual([]);
  });

  test.each(
    "TEAM API_KEY_EU API_KEY_2 API_KEY_ID PROJECT_ID_EU API_KEY2 EU_API_KEY READ_ONLY_KEY ONLY_BASE_URL_EU".split(" "),
  )("DBCLOUD_%s is near to no name of ours, and only reported", (name) => {
    expect(found(`DBCLOUD_${name}`, "value-of-it")).toMatchObject([{ isRefused: false, message: textWith(name) }]);
    expect(found(`dbcloud_${name.toLowerCase()}`, "value-of-it")).toMatchObject([{ isRefused: false }]);
  });

  test("of somebody's own is reported together with all others of the kind", () => {
    const all = unknownVariables({ DBCLOUD_API_KEY_EU: "a", DBCLOUD_API_KEY_US: "b", DBCLOUD_US_BASE_URL: "c" });
    expect(warningsOf(all)).toEqual([
      textLike(/does not read: DBCLOUD_API_KEY_EU, DBCLOUD_API_KEY_US, DBCLOUD_US_BASE_URL\. Nothing needs to change/),
    ]);
  });

  test("with whole words around READ_ONLY is refused as long as it asks for read-only", () => {
    for (const name of ["DBCLOUD_STAGING_READ_ONLY", "DBCLOUD_READ_ONLY_X"]) {
      for (const value of ["1", "true", "prod"]) expect(found(name, value)).toMatchObject([{ isRefused: true }]);
      for (const value of ["0", "false"]) expect(found(name, value)).toMatchObject([{ isRefused: false }]);
    }
  });
});

describe("a key of stack config", () => {
  const found = (key: string, environment = {}, value?: string, project = "shop") =>
    unknownKeys([key], { origin: "stack", environment, project, read: () => value });

  test("of ours, or of another namespace, is known", () => {
    const keys = [...Object.keys(configKeys).map((key) => `dbcloud:${key}`), "aws:region", "shop:apiKey"];
    expect(unknownKeys(keys, { origin: "stack", environment: {} })).toEqual([]);
  });

  test.each([
    ["dbcloud:readonly", "readOnly"],
    ["dbcloud:readOnl", "readOnly"],
    ["dbcloud:read-only", "readOnly"],
    ["dbcloud:dryRun", "readOnly"],
    ["dbcloud:projectid", "projectId"],
    ["dbCloud:readOnly", "readOnly"],
    ["pulumi-dbcloud:readOnly", "readOnly"],
  ])("%s is refused in favour of dbcloud:%s", (key, meant) => {
    expect(found(key, {}, "true")).toMatchObject([
      {
        isRefused: true,
        message: textWith(`did you mean dbcloud:${meant}?`),
        remedy: textWith(`\`pulumi config rm ${key}\``),
      },
    ]);
  });

  test.each("apiKeyStaging apiKey2 readOnlyHost quietHours euApiKey".split(" "))(
    "dbcloud:%s adds whole words to a name of ours, and is somebody's own",
    (name) => {
      expect(found(`dbcloud:${name}`)).toMatchObject([{ isRefused: false, message: textWith(`dbcloud:${name}`) }]);
      expect(found(`dbcloud:${name}`, {}, "db.example")).toMatchObject([{ isRefused: false }]);
    },
  );

  test("is a warning that says why the run goes on, where the variable of the setting decides", () => {
    expect(found("dbcloud:projectid", { DBCLOUD_PROJECT_ID: "proj000001" })).toMatchObject([
      {
        isRefused: false,
        remedy: textLike(/`pulumi config rm dbcloud:projectid`.* DBCLOUD_PROJECT_ID .* decides/),
      },
    ]);
  });

  test("with whole words around readOnly is refused as long as it asks for read-only", () => {
    for (const key of ["dbcloud:readOnlyMode", "dbcloud:stagingReadOnly"]) {
      expect(found(key, {}, "true")).toMatchObject([{ isRefused: true }]);
      expect(found(key, {}, "false")).toMatchObject([{ isRefused: false }]);
    }
  });

  test.each(["dbcloud:apiKeys", "dbcloud:quietly"])("%s adds no whole word, and is refused", (key) =>
    expect(found(key)).toMatchObject([{ isRefused: true }]),
  );

  test.each(["gcloud", "mydbcloud"])("readOnly of the namespace %s is not ours to refuse", (namespace) =>
    expect(found(`${namespace}:readOnly`)).toMatchObject([{ isRefused: false }]),
  );

  test.each(["dbclouds", "db-cloud", "dbcluod"])(
    "readOnly of the namespace %s is refused, unless that is the project",
    (namespace) => {
      expect(found(`${namespace}:readonly`)).toMatchObject([{ isRefused: true }]);
      expect(found(`${namespace}:readonly`, {}, "true", namespace)).toMatchObject([{ isRefused: false }]);
    },
  );

  test("does not stop a refresh or a destroy for which the environment decides", () => {
    const [one] = found("dbcloud:readonly", { DBCLOUD_READ_ONLY: "false" });
    expect(one?.isRefused).toBe(false);
    expect(found("dbcloud:readonly")[0]?.remedy).toContain("set DBCLOUD_READ_ONLY in the environment");
  });

  test("is quoted in the command to copy", () => {
    const [one] = found("dbcloud:read-only$(touch owned)", {}, "true");
    expect(one?.remedy).toContain("`pulumi config rm 'dbcloud:read-only$(touch owned)'`");
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

test("an argument of a Provider is named as one", () => {
  const source = { origin: "provider", environment: { DBCLOUD_READ_ONLY: "1" } } as const;
  expect(unknownKeys(["dbcloud:apiKeyEu"], source)).toMatchObject([{ isRefused: false }]);
  expect(unknownKeys(["dbcloud:explicit", "dbcloud:readonly"], source)).toMatchObject([
    { isRefused: true, message: "argument readonly of the Provider: there is no such setting; did you mean readOnly?" },
  ]);
});

test("all that is refused is one error", () => {
  const all = unknownVariables({ DBCLOUD_READONLY: "1", DBCLOUD_PROJECT: "p", DBCLOUD_TEAM: "t" });
  expect(refusalOf(all)?.message.split("\n")).toHaveLength(2);
  expect(warningsOf(all)).toEqual([textWith("that this package does not read: DBCLOUD_TEAM. Nothing")]);
  expect(warningsOf(unknownKeys(["shop:readOnly"], { origin: "stack", environment: {} }))).toEqual([
    textWith("dbcloud:readOnly? Run"),
  ]);
  expect(refusalOf([])).toBeUndefined();
});
