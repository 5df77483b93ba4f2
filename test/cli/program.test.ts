import { afterAll, beforeAll, expect, test } from "vitest";
import { VERSION } from "../../provider/api/version";
import { type CommandLine, openCommandLine } from "./program";

let line: CommandLine;

beforeAll(async () => {
  line = await openCommandLine();
});

afterAll(() => line.close());

const commands = ["doctor", "emulator", "import", "logs"];

test("--version and --help go to standard output", async () => {
  expect(await line.run(["--version"])).toEqual({ code: 0, out: `${VERSION}\n`, error: "" });
  const help = await line.run(["--help"]);
  expect(help).toMatchObject({ code: 0, error: "" });
  for (const command of commands) expect(help.out).toMatch(new RegExp(`^  ${command} `, "m"));
});

test.each(commands)("%s --help tells how to use it and asks nobody", async (command) => {
  const requests = line.emulator.requests().length;
  const help = await line.run([command, "--help"]);
  expect(help).toMatchObject({ code: 0, error: "" });
  expect(help.out).toMatch(new RegExp(`^Usage: pulumi-dbcloud ${command} `));
  expect(line.emulator.requests()).toHaveLength(requests);
});

test.each([
  [[], /^Usage: pulumi-dbcloud COMMAND/],
  [["improt"], /^pulumi-dbcloud: there is no command "improt"\nTry: pulumi-dbcloud --help\n$/],
  [["constructor"], /there is no command/],
  [["--verison"], /there is no command "--verison"\nTry: pulumi-dbcloud --help\n$/],
  [["import", "--bogus"], /^pulumi-dbcloud import: Unknown option '--bogus'\nTry: pulumi-dbcloud import --help\n$/],
  [["import", "-x"], /^pulumi-dbcloud import: Unknown option '-x'\nTry/],
  [["doctor", "--verbose"], /^pulumi-dbcloud doctor: Unknown option '--verbose'\nTry/],
  [["import", "servcie:svc1"], /"servcie:svc1" names no object; write service:ID, /],
  [["logs", "a", "--severity", "EROR"], /there is no severity "EROR"; there are .*ERROR/],
  [["emulator", "--prot", "1"], /^pulumi-dbcloud emulator: there is no option --prot; did you mean --port\?\n/],
  [["emulator", "--bogus"], /^pulumi-dbcloud emulator: there is no option --bogus\n/],
  [["emulator", "--profile", "documentd"], /not "documentd"; did you mean documented\?/],
  [["emulator", "--switch", "bussy=allow"], /not "bussy=allow"; did you mean busy\?/],
  [["emulator", "--timings", "craete=5"], /not "craete=5"; did you mean create\?/],
  [["logs"], /logs needs one service/],
  [["logs", "a", "b"], /logs needs one service/],
  [["doctor", "it"], /^pulumi-dbcloud doctor: doctor takes options alone, and not "it"\nTry/],
  [["doctor", "--project"], /^pulumi-dbcloud doctor: Option '--project <value>' argument missing\nTry/],
  [["import", "--all", "--project="], /^pulumi-dbcloud import: --project needs a value\nTry/],
  [["logs", "--limit", "-1", "a"], /: Option '--limit' argument is ambiguous.*--limit=-XYZ/s],
  [["logs", "--json=true", "a"], /^pulumi-dbcloud logs: Option '--json' does not take an argument\nTry/],
  [["logs", "--follow=1", "a"], /^pulumi-dbcloud logs: Option '-f, --follow' does not take an argument\nTry/],
  [["logs", "--limit", "x", "a"], /: --limit wants a whole number, not "x"\nTry/],
  [["logs", "--since", "5x", "a"], /: --since wants an RFC 3339 time .*; not "5x"\nTry/],
  [["import", "peering:a"], /: "peering:a" names no object; write .*peering:VPC\/ID, /],
  [
    ["import", "orders"],
    /: "orders" names no object; write service:ID, vpc:ID, peering:VPC\/ID, replica:SERVICE\/ID\n/,
  ],
  [["help", "doctr"], /^pulumi-dbcloud: there is no command "doctr"\nTry/],
  [["emulator", "--bogus"], /Try: pulumi-dbcloud emulator --help/],
])("%j makes no sense: exit code 1 and where help is", async (args, hint) => {
  const ended = await line.run(args);
  expect(ended).toMatchObject({ code: 1, out: "" });
  expect(ended.error).toMatch(hint);
});

test("help of a command, asked for in either way", async () => {
  const asked = await line.run(["help", "logs"]);
  expect(asked).toEqual(await line.run(["logs", "--help"]));
  expect(asked.out).toMatch(/^Usage: pulumi-dbcloud logs /);
});

test("a failure is a message and a remedy, without a stack, key or password", async () => {
  const key = "key-that-nobody-may-see";
  const refused = await line.run(["import", "--all"], { environment: { DBCLOUD_API_KEY: key } });
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.error).toMatch(/^pulumi-dbcloud import: .*401/);
  expect(refused.error).toMatch(/does not accept the API key\. Set it in the environment as DBCLOUD_API_KEY\.\n$/);
  expect(refused.error).not.toContain(key);
  expect(refused.error).not.toMatch(/^ +at /m);
  const keyless = await line.run(["logs", "orders"], { environment: { DBCLOUD_API_KEY: "" } });
  expect(keyless).toMatchObject({ code: 1, out: "" });
  expect(keyless.error).toMatch(/DBCLOUD_API_KEY is not set\nSet it in the environment/);
});

test.each(["import", "logs", "drift", "emulator"])(
  "%s stops at a misspelt variable before anything else",
  async (command) => {
    const requests = line.emulator.requests().length;
    const args = command === "import" ? ["import", "--all"] : [command, ...(command === "logs" ? ["orders"] : [])];
    const ended = await line.run(args, { environment: { DBCLOUD_READONLY: "1", DBCLOUD_PROJCT_ID: "proj999999" } });
    expect(ended).toMatchObject({ code: 1, out: "" });
    expect(ended.error).toContain(
      `pulumi-dbcloud ${command}: environment variable DBCLOUD_READONLY: there is no such setting; did you mean DBCLOUD_READ_ONLY?`,
    );
    expect(ended.error).toContain("DBCLOUD_PROJCT_ID: there is no such setting; did you mean DBCLOUD_PROJECT_ID?");
    expect(ended.error).not.toContain("proj999999");
    expect(line.emulator.requests()).toHaveLength(requests);
  },
);

test.each([["import", "--all"], ["logs", "orders"], ["drift"]])(
  "%s asks no other address than the one that is allowed",
  async (...args) => {
    const requests = line.emulator.requests().length;
    const ended = await line.run(args, { environment: { DBCLOUD_ONLY_BASE_URL: "http://127.0.0.1:1/v1" } });
    expect(ended).toMatchObject({ code: 1, out: "" });
    expect(ended.error).toContain('allowed: only "http://127.0.0.1:1/v1", because DBCLOUD_ONLY_BASE_URL is set');
    expect(line.emulator.requests()).toHaveLength(requests);
  },
);

test("a variable of somebody's own is reported, and the command goes on", async () => {
  const ended = await line.run(["import", "--all"], { environment: { DBCLOUD_TEAM: "payments" } });
  expect(ended.code).toBe(0);
  expect(ended.error).toContain("warning: environment variables that this package does not read: DBCLOUD_TEAM");
  expect(ended.error).not.toContain("payments");
});

test("flags win over the environment", async () => {
  const ended = await line.run(["import", "--all", "--base-url", line.emulator.baseUrl], {
    environment: { DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" },
  });
  expect(ended.code).toBe(0);
});

test("the emulator runs until a signal", async () => {
  const end = new AbortController();
  const ended = await line.run(["emulator", "--port", "0", "--quiet"], {
    signal: end.signal,
    onOut: (text) => {
      if (text.includes("end it with Ctrl-C")) end.abort();
    },
  });
  expect(ended).toMatchObject({ code: 0, error: "" });
  expect(ended.out).toMatch(/^emulator ready at http:\/\/127\.0\.0\.1:\d+\//);
});
