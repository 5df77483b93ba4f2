// Runs every command of this repository: `node scripts/run.mjs <command> [arguments]`. Needs only git, Node 20 or newer
// and npm, on Linux or macOS; installs first what is missing (a newer Node, the packages, the build, a PostgreSQL, the Pulumi
// CLI), reports that on stderr, and then runs the command with the same standard streams and exit code. Built-ins only.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBrowser } from "./setup/browser.mjs";
import { ensureBuilt } from "./setup/build.mjs";
import { ensureNode } from "./setup/node.mjs";
import { ensurePackages } from "./setup/npm.mjs";
import { cacheFolder, withPath } from "./setup/paths.mjs";
import { ensurePostgres } from "./setup/postgres.mjs";
import { ensurePulumi } from "./setup/pulumi.mjs";
import { codeOf, say, SetupError, steps } from "./setup/step.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * What our own commands need beyond Node and packages, and the script they run. Any other word is a program of the
 * installed packages (tsc, vitest …), and needs no more than that.
 * @typedef {{ pulumi?: boolean, postgres?: boolean, browser?: boolean, build?: boolean, script?: string, program?: string }} Needs
 * @type {Record<string, Needs | undefined>}
 */
const commands = {
  demo: { pulumi: true, postgres: true, build: true, script: "scripts/demo.ts" },
  pictures: { pulumi: true, postgres: true, browser: true, build: true, script: "scripts/pictures.ts" },
  test: { pulumi: true, postgres: true, browser: true, script: "scripts/test.ts" },
  ci: { pulumi: true, script: "scripts/ci.ts" },
  invariants: { pulumi: true, postgres: true, build: true, script: "scripts/invariants.ts" },
  bench: { pulumi: true, build: true, script: "scripts/bench.ts" },
  mutation: { script: "scripts/mutation.ts" },
  release: { pulumi: true, script: "scripts/release.ts" },
  build: { build: true },
  pulumi: { pulumi: true, build: true, program: "pulumi" },
  "pulumi-dbcloud": { build: true, script: "dist/cli/main.js" },
};

/**
 * @param {string | undefined} name
 * @param {string[]} args
 */
async function main(name, args) {
  if (!name) {
    say(`node scripts/run.mjs <command> [arguments]; commands: ${Object.keys(commands).join(", ")}, or any program`);
    return 2;
  }
  const needs = commands[name] ?? { program: name };
  const { node, env } = await prepare(needs);
  if (needs.script) return execute(node, [path.join(root, needs.script), ...args], env);
  return needs.program ? execute(needs.program, args, env) : 0;
}

/** @param {Needs} needs */
async function prepare(needs) {
  const cache = cacheFolder(process.env);
  const quiet = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true", DO_NOT_TRACK: "1" };
  const node = await ensureNode({ root, env: quiet, cache });
  const folders = [path.join(root, "node_modules", ".bin"), path.dirname(node)];
  const env = withPath(quiet, folders);
  const place = { env, node, cache };
  const rest = async () => {
    await ensurePackages({ ...place, folder: root, title: "packages into node_modules", flags: [] });
    if (needs.build) await ensureBuilt({ root, env, node });
    if (needs.postgres) await ensurePostgres({ ...place, folder: path.join(root, "tools", "postgres") });
    const browser = { ...place, folder: path.join(root, "tools", "browser") };
    return needs.browser ? ensureBrowser(browser) : {};
  };
  // At once, because a build of the CLI takes longer than everything else.
  const [pulumi, found] = await Promise.all([needs.pulumi ? ensurePulumi({ root, env, cache }) : undefined, rest()]);
  Object.assign(env, found);
  if (!pulumi) return { node, env };

  // Behind Node: a folder like /usr/local/bin may hold both, and its Node may be the one that is too old.
  const withPulumi = { ...withPath(env, [...folders, pulumi.bin]), DBCLOUD_PULUMI_ROOT: pulumi.root };
  return { node, env: withPulumi };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import("./setup/paths.mjs").Environment} env
 * @returns {Promise<number>}
 */
function execute(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: "inherit" });
    // The terminal sends Ctrl-C to the whole process group, so the command gets it directly. If this process forwarded
    // it, the command would get it twice, and Pulumi aborts at the second. Other signals reach this process only, and
    // are forwarded.
    process.on("SIGINT", () => {});
    for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"])) process.on(signal, () => child.kill(signal));
    child.on("error", (error) => {
      reject(codeOf(error) === "ENOENT" ? new SetupError(`there is no command and no program "${command}"`) : error);
    });
    child.on("close", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

try {
  const [name, ...args] = process.argv.slice(2);
  process.exitCode = await main(name, args);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  steps.abort();
  process.exitCode = 1;
}
