// `emulator --background` and `--stop`, as a shell calls them.

import { execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { ownerText } from "../../emulator/ownerProcess";
import { temporaryFolder } from "../support/folder";
import { textWith } from "../support/matchers";
import { main } from "./emulatorProcess";

const cwd = (): string => temporaryFolder();
const emulator = (folder: string, ...args: string[]) =>
  spawnSync(process.execPath, [main, "emulator", ...args], { cwd: folder, encoding: "utf8", timeout: 30_000 });

const addressIn = (text: string): string => /DBCLOUD_BASE_URL='?([^'\n]*)/.exec(text)?.[1] ?? "";

test("prints nothing but the variables, goes on, is found again from its folder, and ends with --stop", async () => {
  const folder = cwd();
  const started = emulator(folder, "--background", "--quick", "--postgres", "off");
  onTestFinished(() => void emulator(folder, "--stop"));
  expect(started).toMatchObject({ status: 0, stderr: expect.stringContaining("emulator --stop") as string });
  expect(started.stdout).toMatch(/^(?:export DBCLOUD_\w+='[^'\n]*'\n)+$/);
  const shell = spawnSync("sh", ["-c", `${started.stdout}printf %s "$DBCLOUD_API_KEY"`], { encoding: "utf8" });
  const get = () =>
    fetch(`${addressIn(started.stdout)}/projects`, { headers: { authorization: `Bearer ${shell.stdout}` } });
  expect((await get()).status).toBe(200);
  for (const file of [".dbcloud-emulator.json", ".dbcloud-emulator.log"]) {
    expect(statSync(path.join(folder, file)).mode & 0o077).toBe(0);
  }
  const again = emulator(folder, "--background");
  expect([again.stdout, again.stderr]).toEqual([started.stdout, textWith("running already")]);
  const asJson = JSON.parse(emulator(folder, "--background", "--json").stdout) as Record<string, string>;
  expect(asJson["DBCLOUD_API_KEY"]).toBe(shell.stdout);
  expect(emulator(folder, "--stop")).toMatchObject({
    status: 0,
    stdout: "",
    stderr: expect.stringMatching(/^the emulator of this folder has ended; it was process \d+\n$/) as string,
  });
  await expect(get()).rejects.toThrow("fetch failed");
  expect(existsSync(path.join(folder, ".dbcloud-emulator.json"))).toBe(false);
  expect(emulator(folder, "--stop")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("has ended") as string,
  });
});

test("of two starts at once in a folder, both give the variables of one, and no other is left", async () => {
  const folder = cwd();
  const args = [main, "emulator", "--background", "--quick", "--postgres", "off"];
  onTestFinished(() => void emulator(folder, "--stop"));
  const start = () => promisify(execFile)(process.execPath, args, { cwd: folder });
  const [one, other] = await Promise.all([start(), start()]);
  expect(one.stdout).toBe(other.stdout);
  expect((await fetch(`${addressIn(one.stdout)}/projects`)).status).toBe(401);
  expect(emulator(folder, "--stop").status).toBe(0);
  await expect.poll(() => processesIn(folder)).toEqual([]);
});

const processesIn = (folder: string): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });

test("an emulator that cannot start says why, and leaves nothing to stop", () => {
  const folder = cwd();
  const refused = emulator(folder, "--background", "--quick", "--seed", "none");
  expect(refused).toMatchObject({
    status: 1,
    stdout: "false\n",
    stderr: expect.stringContaining("--seed takes") as string,
  });
  expect(emulator(folder, "--stop").status).toBe(1);
});

test("what fails before a start is false for `eval` too", () => {
  const folder = cwd();
  mkdirSync(path.join(folder, ".dbcloud-emulator.log"));
  expect(emulator(folder, "--background")).toMatchObject({ status: 1, stdout: "false\n" });
  expect(emulator(folder, "--background", "--json")).toMatchObject({ status: 1, stdout: "" });
});

test("an emulator that does not answer is still the one of its folder", () => {
  const folder = cwd();
  const started = emulator(folder, "--background", "--quick", "--postgres", "off");
  onTestFinished(() => void emulator(folder, "--stop"));
  const [pid = ""] = processesIn(folder);
  process.kill(Number(pid), "SIGSTOP");
  try {
    const again = emulator(folder, "--background", "--quick", "--postgres", "off");
    expect([again.stdout, again.stderr]).toEqual([
      started.stdout,
      textWith(`running already, as process ${pid}, with the options that it was`),
    ]);
    expect(processesIn(folder)).toEqual([pid]);
  } finally {
    process.kill(Number(pid), "SIGCONT");
  }
});

test.each([
  ["began at another time", (pid: number) => `${pid} 1`],
  ["does not listen at its port", ownerText],
])("--stop signals no process that has the pid of the emulator of the folder, and %s", (_, identity) => {
  const folder = cwd();
  const other = spawn("sleep", ["60"]);
  onTestFinished(() => void other.kill("SIGKILL"));
  const known = { process: identity(other.pid ?? 0), variables: { DBCLOUD_BASE_URL: "http://127.0.0.1:1/v1" } };
  writeFileSync(path.join(folder, ".dbcloud-emulator.json"), JSON.stringify(known));
  expect(emulator(folder, "--stop").status).toBe(1);
  expect(ownerText(other.pid ?? 0)).not.toContain("ended");
});
