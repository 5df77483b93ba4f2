// Which program on PATH is run, and which Pulumi CLI is used. The programs are small scripts that answer `version`, and a server
// of the test stands in for the address that Pulumi's releases come from.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../scripts/setup/paths.mjs";
import { ensurePulumi, findPulumi } from "../../scripts/setup/pulumi.mjs";
import { fetchPulumi } from "../../scripts/setup/pulumiFetch.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";
import { root, textOf } from "../support/repository";

const companions = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
/** What tools/pulumi pins. */
const [, pinned = ""] = /pkg\/v3 v(\S+)/.exec(textOf("tools/pulumi/cli/go.mod")) ?? [];

/** The programs of a CLI that answers so. */
function writeCli(bin: string, answer: string, others = companions): void {
  writeFiles(bin, { pulumi: `#!/bin/sh\n${answer}\n` }, 0o755);
  writeFiles(bin, Object.fromEntries(others.map((other) => [other, ""])));
}

/** What is made of a CLI on PATH that answers so, in a folder of that name. */
async function chosen(name: string, answer: string, others = companions) {
  const bin = path.join(temporaryFolder(), name);
  writeCli(bin, answer, others);
  return { bin, choice: await findPulumi("no-such-folder", { PATH: `${bin}:/usr/bin:/bin` }) };
}

test("the CLI on PATH is used when it is new enough, with the root that the Automation API wants", async () => {
  const usual = await chosen("bin", "echo v3.254.0");
  expect(usual.choice).toEqual({ bin: usual.bin, root: path.dirname(usual.bin) });
  // It has no root in a folder that is not named bin.
  const shims = await chosen("shims", "echo v3.1000.0");
  expect(shims.choice).toEqual({ bin: shims.bin });
});

test.each([
  ["echo v3.253.9", companions, /pulumi is 3\.253\.9, older than 3\.254\.0$/],
  ["echo nonsense", companions, /pulumi is of an unknown version/],
  ["exit 3", companions, /pulumi is not working \(Command failed/],
  ["echo v3.259.0", ["pulumi-language-nodejs"], /comes without pulumi-resource-pulumi-nodejs$/],
])("the CLI on PATH is refused with a reason: %s with %j", async (answer, others, reason) => {
  const { choice } = await chosen("bin", answer, others);
  expect(choice).toEqual({ reason: expect.stringMatching(reason) as string });
});

test("the newest CLI that Pulumi's tools have installed is used where PATH has none, but none that is half or old", async () => {
  const versions = temporaryFolder();
  for (const version of ["3.9.0", "3.260.0", "3.1000.0"]) writeCli(`${versions}/${version}/bin`, `echo v${version}`);
  writeCli(`${versions}/3.1001.0/bin`, "exit 1");
  writeCli(`${versions}/3.1002.0.partial/bin`, "echo v3.1002.0");
  const choose = () => findPulumi(versions, { PATH: "/usr/bin:/bin" });
  expect(await choose()).toEqual({ bin: `${versions}/3.1000.0/bin`, root: `${versions}/3.1000.0` });
});

/** An address that answers each request so. */
async function serve(answer: (response: ServerResponse, url: string) => void): Promise<string> {
  const server = createServer(({ url = "" }, response) => answer(response, url)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A release as Pulumi packs it, whose CLI says that it has this version. */
function releaseOf(version: string): Buffer {
  const folder = temporaryFolder();
  writeCli(path.join(folder, "pulumi"), `echo v${version}`);
  return execFileSync("tar", ["-cz", "-C", folder, "pulumi"]);
}

/** What set-up does on a machine without a CLI and without Go, when this address has the releases. */
async function ensured(site: string) {
  const home = temporaryFolder();
  const lines: string[] = [];
  const env = { PATH: "/usr/bin:/bin", PULUMI_HOME: home };
  const tell = (line: string) => lines.push(line);
  const choice = await ensurePulumi({ root, env, cache: path.join(home, "cache"), site, tell }).catch(String);
  return { home, lines, choice };
}

test("the pinned release is fetched once, to where Pulumi's own tools look", async () => {
  const urls: string[] = [];
  const site = await serve((response, url) => {
    urls.push(url);
    response.end(releaseOf(pinned));
  });
  const { home, lines, choice } = await ensured(site);
  const target = path.join(home, "versions", pinned);
  expect(choice).toEqual({ bin: path.join(target, "bin"), root: target });
  expect(urls).toEqual([`/releases/sdk/pulumi-v${pinned}-${process.platform}-${process.arch}.tar.gz`]);
  expect(readdirSync(target, { recursive: true })).toHaveLength(4);
  expect(lines[0]).toContain(`none on PATH; fetching ${pinned} from Pulumi`);
});

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ["breaks off", (response) => response.write(releaseOf(pinned), () => response.destroy()), /not fetched: /],
  ["is refused", (response) => response.writeHead(403).end(), /not fetched: \S+ answers 403/],
  ["is another version", (response) => response.end(releaseOf("3.300.0")), /not fetched: what came is 3\.300\.0/],
  ["is no archive", (response) => response.end("<html>"), /not fetched: /],
])("a release that %s leaves nothing, and the CLI is built instead", async (_, answer, told) => {
  const { home, lines, choice } = await ensured(await serve(answer));
  expect(lines.some((line) => told.test(line))).toBe(true);
  expect(lines.at(-1)).toContain(`building ${pinned}`);
  expect(choice).toContain("building with Go needs");
  expect(readdirSync(path.join(home, "versions"))).toEqual([]);
});

test("an address that does not answer, and a release that stalls, are given up", async () => {
  const folder = temporaryFolder();
  const waits = { connectMs: 50, stallMs: 50 };
  const fetched = async (answer: (response: ServerResponse) => void) =>
    fetchPulumi({ folder, env: {}, version: pinned, waits, site: await serve(answer) });
  await expect(fetched(() => undefined)).rejects.toThrow("no answer in 0.05 s");
  await expect(fetched((response) => response.write("half"))).rejects.toThrow("nothing came for 0.05 s");
});

test("the first file of a name is found, no folder and nothing from relative entries", () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "a", "pulumi"), { recursive: true });
  writeFiles(folder, { "b/pulumi": "", "c/pulumi": "" });
  const PATH = [".", "no-such", ...["a", "b", "c"].map((name) => path.join(folder, name))].join(":");
  expect(findProgram("pulumi", { PATH })).toBe(path.join(folder, "b", "pulumi"));
  expect(findProgram("package.json", { PATH })).toBeUndefined();
  expect(findProgram("pulumi", {})).toBeUndefined();
});
