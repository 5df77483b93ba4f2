// Where the Pulumi CLI comes from. The programs are small scripts that answer `version`; nothing here needs a network.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensurePulumi, fromPath, wantedRelease } from "../../scripts/setup/pulumi.mjs";

const companions = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
const root = process.cwd();
const release = wantedRelease(root);

let folder: string;
let cache: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "dbcloud-pulumi-"));
  cache = path.join(folder, "cache");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A folder with a CLI that answers so; returns an environment that has it on PATH. */
function onPath(bin: string, answer: string, others = companions): { PATH: string } {
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, "pulumi"), `#!/bin/sh\n${answer}\n`);
  chmodSync(path.join(bin, "pulumi"), 0o755);
  for (const name of others) writeFileSync(path.join(bin, name), "");
  return { PATH: `${bin}:/usr/bin:/bin` };
}

test("the CLI on PATH is used when it is new enough, with the root that the Automation API wants", async () => {
  const bin = path.join(folder, "pulumi", "bin");
  expect(await fromPath(onPath(bin, "echo v3.254.0"), cache)).toEqual({ bin, root: path.join(folder, "pulumi") });
  // It has no root in a folder that is not named bin.
  const shims = path.join(folder, "shims");
  expect(await fromPath(onPath(shims, "echo v3.1000.0"), cache)).toEqual({ bin: shims });
});

test.each([
  ["echo v3.253.9", companions, /pulumi is 3\.253\.9, older than 3\.254\.0$/],
  ["echo nonsense", companions, /pulumi is of an unknown version/],
  ["exit 3", companions, /pulumi is not working \(Command failed/],
  ["echo v3.259.0", ["pulumi-language-nodejs"], /comes without pulumi-resource-pulumi-nodejs$/],
])("the CLI on PATH is refused with a reason: %s with %j", async (answer, others, reason) => {
  const choice = await fromPath(onPath(path.join(folder, "bin"), answer, others), cache);
  expect(choice).toEqual({ reason: expect.stringMatching(reason) as string });
});

interface Place {
  folder: string;
}

const search = (build: (place: Place) => Promise<void>, tell: (line: string) => void = () => undefined) =>
  ensurePulumi({ root, env: { PATH: "" }, cache, tell, build });

test("the cache is filled once, also by searches at the same time, and again when programs are missing", async () => {
  const lines: string[] = [];
  let builds = 0;
  const build = ({ folder: to }: Place) => {
    builds += 1;
    onPath(path.join(to, "bin"), "echo v3.259.0");
    return Promise.resolve();
  };
  const target = path.join(cache, "pulumi", release.key);
  const found = { bin: path.join(target, "bin"), root: target };
  const find = () => search(build, (line) => lines.push(line));
  expect(await Promise.all([find(), find()])).toEqual([found, found]);
  expect(await find()).toEqual(found);
  expect(builds).toBe(1);
  expect(lines).toContain(`Pulumi CLI: ready in ${target}`);

  // What a killed run has left goes.
  rmSync(path.join(found.bin, "pulumi-language-nodejs"));
  mkdirSync(`${target}.partial`);
  await find();
  expect(builds).toBe(2);
  expect(readdirSync(path.join(cache, "pulumi"))).toEqual([release.key]);
  expect(wantedRelease(root, "linux", "x64").key).not.toBe(wantedRelease(root, "linux", "arm64").key);
});

test("a build that fails or is incomplete leaves nothing behind, and the error says why and what to do", async () => {
  const tooLittle = ({ folder: to }: Place) => {
    onPath(path.join(to, "bin"), "echo v3.259.0", []);
    return Promise.resolve();
  };
  await expect(search(tooLittle)).rejects.toThrow("the build did not bring all programs\n");
  await expect(search(() => Promise.reject(new Error("disk full")))).rejects.toThrow(
    /could not be built: disk full\nBy hand, one of: install Pulumi 3\.254\.0.*https:\/\/www\.pulumi\.com/,
  );
  expect(readdirSync(path.join(cache, "pulumi"))).toEqual([]);
});
