// The launcher, as every npm script calls it.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const run = (...args: string[]) => spawnSync(process.execPath, ["scripts/run.mjs", ...args], { encoding: "utf8" });

test("a program gets the tool folders first on PATH and its arguments, and its exit code is passed on", () => {
  const source = `
    console.log(JSON.stringify(process.env.PATH.split(":").slice(0, 2)));
    process.exit(Number(process.argv[1]));`;
  const { status, stdout } = run("node", "-e", source, "7");
  expect(status).toBe(7);
  expect(JSON.parse(stdout)).toEqual([path.resolve("node_modules/.bin"), path.dirname(process.execPath)]);
  expect(run("node", "-e", `process.kill(process.pid, "SIGKILL")`).status).toBe(137);
});

test("an unknown command is an error in one line, and none prints the list of commands", () => {
  expect(run("no-such-word")).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^.*"no-such-word"\n$/) as string,
  });
  expect(run()).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/commands: demo, pictures, test, /) as string,
  });
});
