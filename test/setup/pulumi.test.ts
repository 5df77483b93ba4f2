// Where the Pulumi CLI comes from. The programs are small scripts that answer `version`; nothing here needs a network.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensurePulumi, fromPath, wantedRelease } from "../../scripts/setup/pulumi.mjs";
import { runStep } from "../../scripts/setup/step.mjs";

const companions = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
const root = process.cwd();
const release = wantedRelease(root);

let folder: string;
let cache: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dbcloud-pulumi-"));
  cache = join(folder, "cache");
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A folder with a CLI that answers so; returns an environment that has it on PATH. */
function onPath(bin: string, answer: string, others = companions): { PATH: string } {
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pulumi"), `#!/bin/sh\n${answer}\n`);
  chmodSync(join(bin, "pulumi"), 0o755);
  for (const name of others) writeFileSync(join(bin, name), "");
  return { PATH: `${bin}:/usr/bin:/bin` };
}

interface Place {
  folder: string;
}

/** A build that brings every program, and counts how often it was asked. */
function goodBuild() {
  const build = ({ folder: to }: Place) => {
    build.calls += 1;
    onPath(join(to, "bin"), "echo v3.259.0");
    return Promise.resolve();
  };
  build.calls = 0;
  return build;
}

const search = (build: (place: Place) => Promise<void>, env: { PATH: string } = { PATH: "" }) =>
  ensurePulumi({ root, env, cache, tell: (line) => lines.push(line), build });

describe("the CLI on PATH", () => {
  test("is used when it is new enough, with the root that the Automation API wants", async () => {
    const bin = join(folder, "pulumi", "bin");
    expect(await fromPath(onPath(bin, "echo v3.254.0"), cache)).toEqual({ bin, root: join(folder, "pulumi") });
  });

  test("has no root where it does not lie in a folder named bin", async () => {
    const bin = join(folder, "shims");
    expect(await fromPath(onPath(bin, "echo v3.300.1"), cache)).toEqual({ bin });
  });

  test("is not asked when it is the one from the cache, put there by an outer command", async () => {
    const bin = join(cache, "pulumi", release.key, "bin");
    expect(await fromPath(onPath(bin, "exit 1"), cache)).toMatchObject({ bin });
  });

  test.each([
    ["echo v3.253.9", companions, /pulumi is 3\.253\.9, older than 3\.254\.0$/],
    ["echo nonsense", companions, /pulumi is of an unknown version/],
    ["exit 3", companions, /pulumi is not working \(Command failed/],
    ["echo v3.259.0", ["pulumi-language-nodejs"], /comes without pulumi-resource-pulumi-nodejs$/],
  ])("is refused with a reason: %s with %j", async (answer, others, reason) => {
    const choice = await fromPath(onPath(join(folder, "bin"), answer, others), cache);
    expect(choice).toEqual({ reason: expect.stringMatching(reason) as string });
  });

  test("may be missing", async () => {
    expect(await fromPath({ PATH: folder }, cache)).toEqual({ reason: "none on PATH" });
  });
});

describe("the cache", () => {
  test("is filled once, in one step, and then used", async () => {
    const build = goodBuild();
    const target = join(cache, "pulumi", release.key);
    expect(await search(build)).toEqual({ bin: join(target, "bin"), root: target });
    expect(await search(build)).toEqual({ bin: join(target, "bin"), root: target });
    expect(build.calls).toBe(1);
    expect(readdirSync(join(cache, "pulumi"))).toEqual([release.key]);
    expect(lines).toEqual([
      `Pulumi CLI: none on PATH, none in ${join(cache, "pulumi")}; building ${release.version}`,
      `Pulumi CLI: ready in ${target}`,
    ]);
  });

  test("is filled once by searches that run at the same time", async () => {
    const build = goodBuild();
    const found = await Promise.all([search(build), search(build), search(build)]);
    expect(new Set(found.map(({ bin }) => bin)).size).toBe(1);
    expect(build.calls).toBe(1);
  });

  test("is used rather than a CLI on PATH that is too old", async () => {
    const env = onPath(join(folder, "old", "bin"), "echo v3.100.0");
    expect((await search(goodBuild(), env)).root).toBe(join(cache, "pulumi", release.key));
  });

  test("is filled again when programs are missing, and leftovers of a killed run go", async () => {
    const target = join(cache, "pulumi", release.key);
    onPath(join(target, "bin"), "echo v3.259.0", []);
    mkdirSync(`${target}.partial`);
    const build = goodBuild();
    await search(build);
    expect(build.calls).toBe(1);
    expect(readdirSync(join(cache, "pulumi"))).toEqual([release.key]);
  });

  test("keeps versions, platforms and module sums apart", () => {
    expect(release.version).toMatch(/^3\.\d+\.\d+$/);
    expect(wantedRelease(root, "darwin", "arm64").key).toMatch(/^3\.\d+\.\d+-darwin-arm64-[0-9a-f]{12}$/);
    expect(wantedRelease(root, "linux", "x64").key).not.toBe(wantedRelease(root, "linux", "arm64").key);
  });
});

describe("a build that fails", () => {
  test("or is incomplete leaves nothing behind, and the error says why and what to do by hand", async () => {
    const tooLittle = ({ folder: to }: Place) => {
      onPath(join(to, "bin"), "echo v3.259.0", []);
      return Promise.resolve();
    };
    await expect(search(tooLittle)).rejects.toThrow("could not be built: the build did not bring all programs\n");
    await expect(search(() => Promise.reject(new Error("disk full")))).rejects.toThrow(
      /^no Pulumi CLI was found, and it could not be built: disk full\nBy hand, one of: install Pulumi 3\.254\.0/,
    );
    expect(existsSync(join(cache, "pulumi", release.key))).toBe(false);
    expect(readdirSync(join(cache, "pulumi"))).toEqual([]);
  });

  test("is reported with the output of the programs", async () => {
    const build = async () => {
      await runStep("building", "sh", ["-c", "echo 'go: verifying'; echo 'go: disk full'; exit 1"]);
    };
    await expect(search(build)).rejects.toThrow(
      /could not be built: go: disk full\ngo: verifying\ngo: disk full\nBy hand, .*\nor install Go /,
    );
  });
});
