// The launcher itself, as every npm script calls it.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/run.mjs", ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("a program gets the tool folders first on PATH and its arguments, and its exit code is passed on", () => {
  const source = `
    const { PATH, PULUMI_SKIP_UPDATE_CHECK, DO_NOT_TRACK } = process.env;
    console.log(JSON.stringify({ path: PATH.split(":").slice(0, 2), PULUMI_SKIP_UPDATE_CHECK, DO_NOT_TRACK }));
    process.exit(Number(process.argv[1]));`;
  const { status, stdout } = run("node", "-e", source, "7");
  expect(status).toBe(7);
  expect(JSON.parse(stdout)).toEqual({
    path: [path.resolve("node_modules/.bin"), path.dirname(process.execPath)],
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DO_NOT_TRACK: "1",
  });
});

test("a program of an installed package is found by name", () => {
  expect(run("tsc", "--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Version 6\./) as string });
});

test("a program that ends by a signal counts as failed, as in a shell", () => {
  expect(run("node", "-e", `process.kill(process.pid, "SIGKILL")`).status).toBe(137);
});

test("an unknown word is an error in one line", () => {
  const { status, stderr } = run("no-such-word");
  expect(status).toBe(1);
  expect(stderr).toBe('set-up: there is no command and no program "no-such-word"\n');
});

test("without a command the list of commands is printed", () => {
  const { status, stderr } = run();
  expect(status).toBe(2);
  expect(stderr).toMatch(/commands: demo, test, /);
});
