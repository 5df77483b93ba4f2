// The Pulumi CLI for the commands that need the engine: from PATH, else from the per-user cache, else built into the
// cache. Everything that is downloaded is checked against sums in this repository. Built-ins only.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { withLock } from "./lock.mjs";
import { findProgram } from "./paths.mjs";
import { buildPulumi } from "./pulumiBuild.mjs";
import { messageOf, outputLines, say, sayWaiting, SetupError } from "./step.mjs";
import { isAtLeast, parseVersion } from "./versions.mjs";

// The oldest CLI that imports resources with outputs.
const oldest = "3.254.0";
// The program that the CLI starts for a Node program with dynamic resources. The CLI looks beside itself and on PATH.
const companions = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/**
 * @typedef {import("./paths.mjs").Environment} Environment
 *
 * @typedef {object} Choice
 * @property {string} bin
 * @property {string} [root]
 *
 * @typedef {import("./pulumiBuild.mjs").BuildContext} BuildContext
 *
 * @typedef {object} Search
 * @property {string} root
 * @property {Environment} env
 * @property {string} cache
 * @property {(line: string) => void} [tell]
 * @property {(context: BuildContext) => Promise<void>} [build]
 */

/**
 * Finds or builds a CLI. `bin` is the folder to put on PATH; `root` is the folder above it, as
 * `PulumiCommand.get({ root })` wants it, and undefined where the CLI does not lie in a folder named `bin`.
 * @param {Search} search
 * @returns {Promise<Choice>}
 */
export async function ensurePulumi({ root, env, cache, tell = say, build = buildPulumi }) {
  const onPath = await fromPath(env, cache);
  if ("bin" in onPath) return onPath;

  const release = wantedRelease(root);
  const target = path.join(cache, "pulumi", release.key);
  const found = { bin: path.join(target, "bin"), root: target };
  if (isComplete(target)) return found;

  await withLock(
    path.join(cache, "locks", `pulumi-${release.key}.lock`),
    async () => {
      if (isComplete(target)) return;
      tell(`Pulumi CLI: ${onPath.reason}, none in ${path.dirname(target)}; building ${release.version}`);
      await fill(target, build, { root, env, version: release.version, tell });
    },
    { onWait: sayWaiting("Pulumi CLI", tell) },
  );
  return found;
}

/**
 * The release that is built when there is none: what tools/pulumi pins, kept apart by platform and by checksums.
 * @param {string} root
 * @param {string} platform
 * @param {string} arch
 */
export function wantedRelease(root, platform = process.platform, arch = process.arch) {
  /** @param {string[]} names */
  const read = (...names) => readFileSync(path.join(root, "tools", "pulumi", ...names), "utf8");
  const version = /pulumi\/pkg\/v3 v(\S+)/.exec(read("cli", "go.mod"))?.[1] ?? "unknown";
  const sums = createHash("sha256").update(read("cli", "go.sum")).update(read("language", "go.sum")).digest("hex");
  return { version, key: `${version}-${platform}-${arch}-${sums.slice(0, 12)}` };
}

/**
 * The CLI on PATH, or the reason why it is not to be used.
 * @param {Environment} env
 * @param {string} cache
 * @returns {Promise<Choice | { reason: string }>}
 */
export async function fromPath(env, cache) {
  const file = findProgram("pulumi", env);
  if (!file) return { reason: "none on PATH" };
  const real = realpathSync(file);
  const bin = path.dirname(file);
  const choice = path.basename(bin) === "bin" ? { bin, root: path.dirname(bin) } : { bin };
  // Nested commands find the folder that the outer command put on PATH; asking the CLI there again costs a quarter of a
  // second.
  if (real.startsWith(path.join(cache, "pulumi") + path.sep)) return choice;

  const version = await versionOf(file, env);
  if (!isAtLeast(version, oldest)) return { reason: `${file} is ${version}, older than ${oldest}` };
  const missing = companions.find((name) => !existsBeside(real, name) && !findProgram(name, env));
  return missing ? { reason: `${file} comes without ${missing}` } : choice;
}

/**
 * @param {string} file
 * @param {Environment} env
 */
async function versionOf(file, env) {
  try {
    const { stdout } = await promisify(execFile)(file, ["version"], { env, timeout: 10_000 });
    return parseVersion(stdout)?.join(".") ?? "of an unknown version";
  } catch (error) {
    return `not working (${messageOf(error).split("\n")[0]})`;
  }
}

const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];

/**
 * @param {string} file
 * @param {string} name
 */
function existsBeside(file, name) {
  return endings.some((ending) => existsSync(path.join(path.dirname(file), name + ending)));
}

/** @param {string} target */
function isComplete(target) {
  const cli = path.join(target, "bin", "pulumi");
  return ["pulumi", ...companions].every((name) => existsBeside(cli, name));
}

/**
 * The build works in a folder of its own beside the target, which then appears complete in one step.
 * @param {string} target
 * @param {(context: BuildContext) => Promise<void>} build
 * @param {Omit<BuildContext, "folder">} context
 */
async function fill(target, build, context) {
  removeLeftovers(`${target}.partial-`);
  const partial = `${target}.partial-${process.pid}`;
  try {
    mkdirSync(path.join(partial, "bin"), { recursive: true });
    await build({ ...context, folder: partial });
    if (!isComplete(partial)) throw new Error("the build did not bring all programs");
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
    context.tell(`Pulumi CLI: ready in ${target}`);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw new SetupError(pulumiFailure(error));
  }
}

/**
 * What a killed run has left; only the holder of the lock gets here.
 * @param {string} prefix
 */
function removeLeftovers(prefix) {
  const folder = path.dirname(prefix);
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(folder)) {
    const full = path.join(folder, entry);
    if (full.startsWith(prefix)) rmSync(full, { recursive: true, force: true });
  }
}

/** @param {unknown} error */
export function pulumiFailure(error) {
  return [
    `no Pulumi CLI was found, and it could not be built: ${messageOf(error)}`,
    ...outputLines(error),
    `By hand, one of: install Pulumi ${oldest} or newer (https://www.pulumi.com/docs/install/) and put it on PATH;`,
    "or install Go in the newest version (https://go.dev/dl/) and run the command again.",
  ].join("\n");
}
