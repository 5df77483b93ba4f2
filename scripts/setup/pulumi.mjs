// The Pulumi CLI for the commands that need the engine: from PATH, else from the per-user cache, else built into the
// cache. Everything that is downloaded is checked against sums in this repository. Built-ins only.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./paths.mjs";
import { buildPulumi } from "./pulumiBuild.mjs";
import { messageOf, outputLines, SetupError } from "./step.mjs";
import { ensureToolFolder } from "./toolFolder.mjs";
import { isAtLeast, parseVersion } from "./versions.mjs";

// The oldest CLI that imports resources with outputs.
const oldest = "3.254.0";
// The program that the CLI starts for a Node program with dynamic resources. The CLI looks beside itself and on PATH.
const companions = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/**
 * @typedef {import("./paths.mjs").Environment} Environment
 * @typedef {{ bin: string, root?: string }} Choice
 */

/**
 * Finds or builds a CLI. `bin` is the folder to put on PATH; `root` is the folder above it, as
 * `PulumiCommand.get({ root })` wants it, and undefined where the CLI does not lie in a folder named `bin`.
 * @param {{ root: string, env: Environment, cache: string }} search
 * @returns {Promise<Choice>}
 */
export async function ensurePulumi({ root, env, cache }) {
  const onPath = await fromPath(env, cache);
  if ("bin" in onPath) return onPath;

  const { version, key } = wantedRelease(root);
  const target = path.join(cache, "pulumi", key);
  await ensureToolFolder({
    target,
    files: ["pulumi", ...companions].map((name) => path.join("bin", name)),
    title: "Pulumi CLI",
    why: `${onPath.reason}, none in ${path.dirname(target)}; building ${version}, once, about 5 minutes on 2 cores`,
    build: (folder) => buildPulumi({ folder, root, env, version }),
  }).catch(cannotBuild);
  return { bin: path.join(target, "bin"), root: target };
}

/**
 * The release that is built when there is none: what tools/pulumi pins, kept apart by platform and by checksums.
 * @param {string} root
 */
function wantedRelease(root) {
  /** @param {string[]} names */
  const read = (...names) => readFileSync(path.join(root, "tools", "pulumi", ...names), "utf8");
  const version = /pulumi\/pkg\/v3 v(\S+)/.exec(read("cli", "go.mod"))?.[1] ?? "unknown";
  const sums = createHash("sha256").update(read("cli", "go.sum")).update(read("language", "go.sum")).digest("hex");
  return { version, key: `${version}-${process.platform}-${process.arch}-${sums.slice(0, 12)}` };
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
  const missing = companions.find(
    (name) => !existsSync(path.join(path.dirname(real), name)) && !findProgram(name, env),
  );
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

/**
 * @param {unknown} error
 * @returns {never}
 */
function cannotBuild(error) {
  throw new SetupError(
    [
      `no Pulumi CLI was found, and it could not be built: ${messageOf(error)}`,
      ...outputLines(error),
      `By hand, one of: install Pulumi ${oldest} or newer (https://www.pulumi.com/docs/install/) and put it on PATH;`,
      "or install Go in the newest version (https://go.dev/dl/) and run the command again.",
    ].join("\n"),
  );
}
