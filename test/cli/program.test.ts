import { expect, test } from "vitest";
import { VERSION } from "../../provider/api/version";
import { textLike, textWith } from "../support/matchers";
import { line, useCommandLine } from "./program";

useCommandLine();

const commands = ["doctor", "emulator", "import", "logs"];

test("--version and --help go to standard output", async () => {
  expect(await line.run(["--version"])).toEqual({ code: 0, out: `${VERSION}\n`, error: "" });
  const help = await line.run(["--help"]);
  expect(help).toMatchObject({ code: 0, error: "" });
  for (const command of commands) expect(help.out).toMatch(new RegExp(`^  ${command} `, "m"));
});

test.each(commands)("help of %s, asked for in either way, tells how to use it and asks nobody", async (command) => {
  const help = await line.run([command, "--help"]);
  expect(help).toMatchObject({ code: 0, error: "", out: textLike(new RegExp(`^Usage: pulumi-dbcloud ${command} `)) });
  expect(await line.run(["help", command])).toEqual(help);
  expect(line.emulator.requests()).toEqual([]);
});

test.each([
  [[], /^Usage: pulumi-dbcloud COMMAND/],
  [["improt"], /no command "improt"\nTry: pulumi-dbcloud --help\n$/],
  [["constructor"], /no command/],
  [["--verison"], /no command "--verison"\nTry/],
  [["help", "doctr"], /no command "doctr"\nTry/],
  [["import", "--bogus"], /^pulumi-dbcloud import: .*'--bogus'\nTry: pulumi-dbcloud import --help\n$/],
  [["import", "-x"], /'-x'/],
  [["doctor", "--verbose"], /'--verbose'/],
  [["emulator", "--bogus"], /^pulumi-dbcloud emulator: .*'--bogus'\nTry: pulumi-dbcloud emulator --help/],
  [["import"], /import/],
  [["import", "servcie:svc1"], /"servcie:svc1" names no object/],
  [["import", "peering:a"], /"peering:a" .*peering:VPC\/ID/],
  [["import", "orders"], /"orders" .*service:ID, vpc:ID, peering:VPC\/ID, replica:SERVICE\/ID/],
  [["import", "vpc:"], /"vpc:"/],
  [["import", "--all", "--project="], /--project needs a value/],
  [["logs"], /one service/],
  [["logs", "a", "b"], /one service/],
  [["logs", "--limit", "-1", "a"], /: --limit needs a value \(if it begins with a dash: --limit=VALUE\)\nTry/],
  [["logs", "--limit", "x", "a"], /--limit takes a whole number, not "x"/],
  [["logs", "--node", "-1", "a"], /--node/],
  [["logs", "--json=true", "a"], /'--json' does not take an argument/],
  [["logs", "--follow=1", "a"], /'-f, --follow' does not take an argument/],
  [["logs", "--follow", "--until", "1m", "a"], /--until/],
  [["doctor", "it"], /not "it"/],
  [["doctor", "--project"], /: --project needs a value/],
  [["emulator", "--port"], /: --port needs a value/],
  [["emulator", "--seed", "-1"], /: --seed needs a value/],
  [["emulator", "stray"], /: Unexpected argument 'stray'\nTry/],
  [["drift", "--fail-on", "everything"], /--fail-on takes changed, .*, or none, not "everything"/],
  [["drift", "orders"], /no objects/],
])("%j makes no sense: exit code 1, where help is, and nothing is asked", async (args, hint) => {
  const ended = await line.run(args);
  expect(ended).toMatchObject({ code: 1, out: "", error: textLike(hint) });
  expect(ended.error).toMatch(/^Usage|\nTry: /);
  expect(line.emulator.requests()).toEqual([]);
});

test.each([
  [["--bogus"], {}, "'--bogus'"],
  [["--stack"], {}, "--stack needs a value"],
  [["orders"], {}, "drift takes no objects"],
  [[], { DBCLOUD_READONLY: "1" }, "DBCLOUD_READONLY"],
  [[], { DBCLOUD_READ_ONLY: "perhaps" }, "perhaps"],
  [["--state", "nowhere.json"], {}, "the state nowhere.json cannot be read"],
])("drift --json %j with %j prints one document with the failure", async (args, environment, reason) => {
  const { code, out, error } = await line.run(["drift", ...args, "--json"], { environment });
  const finding = { category: "unknown", about: [], reason: textWith(reason) };
  expect(JSON.parse(out)).toMatchObject({ outcome: "unknown", exitCode: 1, stacks: [], findings: [finding] });
  expect([code, error]).toEqual([1, textWith(reason)]);
});

test("a failure is a message and a remedy, without a stack, key or password", async () => {
  const key = "key-that-nobody-may-see";
  const refused = await line.run(["import", "--all"], { environment: { DBCLOUD_API_KEY: key } });
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.error).toMatch(
    /^pulumi-dbcloud import: .*401[^]*DBCLOUD_API_KEY\.\nMore: npx pulumi-dbcloud explain key-refused\n$/,
  );
  expect(refused.error).not.toContain(key);
  expect(refused.error).not.toMatch(/^ +at /m);
  const keyless = await line.run(["logs", "orders"], { environment: { DBCLOUD_API_KEY: "" } });
  expect(keyless).toMatchObject({ code: 1, out: "", error: textWith("no API key is set (DBCLOUD_API_KEY)\n") });
});

test.each(["import", "logs", "drift", "emulator"])("%s stops at a misspelt guard before all else", async (command) => {
  const args = command === "import" ? ["import", "--all"] : [command, ...(command === "logs" ? ["orders"] : [])];
  const ended = await line.run(args, { environment: { DBCLOUD_READONLY: "1" } });
  expect(ended).toMatchObject({ code: 1, out: "" });
  expect(ended.error).toMatch(/DBCLOUD_READONLY.* did you mean DBCLOUD_READ_ONLY\?/);
  expect(line.emulator.requests()).toEqual([]);
});

test.each([["import", "--all"], ["logs", "orders"], ["drift"]])("%s asks the allowed one alone", async (...args) => {
  const ended = await line.run(args, { environment: { DBCLOUD_ONLY_BASE_URL: "http://127.0.0.1:1/v1" } });
  const error = textLike(/allowed: only "http:\/\/127\.0\.0\.1:1\/v1".* DBCLOUD_ONLY_BASE_URL/);
  expect(ended).toMatchObject({ code: 1, out: "", error });
  expect(line.emulator.requests()).toEqual([]);
});

test("another misspelt variable is warned of, and the command goes on", async () => {
  const environment = { DBCLOUD_PROJCT_ID: "proj999999", DBCLOUD_PROJECT: "mine" };
  const ended = await line.run(["import", "--all"], { environment });
  expect(ended.code).toBe(0);
  expect(ended.error).toMatch(/warning: .*DBCLOUD_PROJCT_ID: .* did you mean DBCLOUD_PROJECT_ID\?/);
  expect(ended.error).not.toMatch(/proj999999|mine/);
});

test("flags win over the environment", async () => {
  const ended = await line.run(["import", "--all", "--base-url", line.emulator.baseUrl], {
    environment: { DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" },
  });
  expect(ended.code).toBe(0);
});
