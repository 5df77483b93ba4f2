// The Pulumi CLI for the commands that need the engine: from PATH, else one that Pulumi's own tools have installed for this
// user, else from the per-user cache, else fetched from Pulumi, else built into the cache. Built-ins only.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./paths.mjs";
import { buildPulumi } from "./pulumiBuild.mjs";
import { fetchPulumi } from "./pulumiFetch.mjs";
import { messageOf, outputLines, say, SetupError } from "./step.mjs";
import { ensureToolFolder, isComplete } from "./toolFolder.mjs";
import { isAtLeast, parseVersion } from "./versions.mjs";

// The oldest CLI that imports resources with outputs.
const oldest = "3.254.0";
// The program that the CLI starts for a Node program with dynamic resources. The CLI looks beside itself and on PATH.
const companions = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
const files = ["pulumi", ...companions].map((name) => path.join("bin", name));
const title = "Pulumi CLI";

/**
 * @typedef {import("./paths.mjs").Environment} Environment
 * @typedef {{ bin: string, root?: string }} Choice
 */

/**
 * Finds, fetches or builds a CLI. `bin` is the folder to put on PATH; `root` is the folder above it, as
 * `PulumiCommand.get({ root })` wants it, and undefined where the CLI does not lie in a folder named `bin`.
 * @param {{ root: string, env: Environment, cache: string, site?: string, tell?: (line: string) => void }} search
 * @returns {Promise<Choice>}
 */
export async function ensurePulumi({ root, env, cache, site, tell = say }) {
  // Where the npm package `pulumi` and the Automation API install it.
  const versions = path.join(env["PULUMI_HOME"] || path.join(homedir(), ".pulumi"), "versions");
  const found = await findPulumi(versions, env);
  if ("bin" in found) return found;

  const { version, key } = wantedRelease(root);
  const [fetched, built] = [path.join(versions, version), path.join(cache, "pulumi", key)];
  /** @type {(target: string, why: string, build: (folder: string) => Promise<void>) => Promise<Choice>} */
  const ensure = async (target, why, build) => {
    await ensureToolFolder({ target, files, title, why, tell, build });
    return { bin: path.join(target, "bin"), root: target };
  };
  if (!isComplete(built, files)) {
    try {
      return await ensure(fetched, `${found.reason}; fetching ${version} from Pulumi`, async (folder) => {
        await fetchPulumi({ folder, env, version, ...(site && { site }) });
        const came = await versionOf(path.join(folder, "bin", "pulumi"), env);
        if (came !== version) throw new Error(`what came is ${came}`);
      });
    } catch (error) {
      tell(`${title}: not fetched: ${messageOf(error)}`);
    }
  }
  const why = `building ${version}, once, about 5 minutes on 2 cores`;
  return ensure(built, why, (folder) => buildPulumi({ folder, root, env, version })).catch(cannotBuild);
}

/**
 * The release that is wanted when there is none: what tools/pulumi pins, kept apart by platform and by checksums.
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
 * The CLI on PATH, or the newest of those that are installed by version, or why there is none to be used.
 * @param {string} versions
 * @param {Environment} env
 * @returns {Promise<Choice | { reason: string }>}
 */
export async function findPulumi(versions, env) {
  const onPath = findProgram("pulumi", env);
  const names = existsSync(versions) ? readdirSync(versions).filter((name) => /^\d+\.\d+\.\d+$/.test(name)) : [];
  const installed = names
    .toSorted((a, b) => (isAtLeast(a, b) ? -1 : 1))
    .map((name) => `${versions}/${name}/bin/pulumi`);
  const reasons = onPath ? [] : ["none on PATH"];
  for (const file of [...(onPath ? [onPath] : []), ...installed]) {
    const choice = await choiceOf(file, env);
    if ("bin" in choice) return choice;
    reasons.push(choice.reason);
  }
  return { reason: reasons.join(", ") };
}

/**
 * @param {string} file
 * @param {Environment} env
 * @returns {Promise<Choice | { reason: string }>}
 */
async function choiceOf(file, env) {
  const bin = path.dirname(file);
  const choice = path.basename(bin) === "bin" ? { bin, root: path.dirname(bin) } : { bin };
  // Nested commands find what the outer command has chosen; asking it again costs a quarter of a second.
  if (choice.root && choice.root === env["DBCLOUD_PULUMI_ROOT"]) return choice;

  const version = await versionOf(file, env);
  // What is no version may quote the path, which may have one in it.
  if (!/^\d/.test(version) || !isAtLeast(version, oldest))
    return { reason: `${file} is ${version}, older than ${oldest}` };
  const beside = path.dirname(realpathSync(file));
  const missing = companions.find((name) => !existsSync(path.join(beside, name)) && !findProgram(name, env));
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
