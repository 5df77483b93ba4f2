// `dist`, which engine and provider process load: built by tsc if it does not match the sources. Built-ins only.
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { messageOf, outputLines, runStep, say, sayWaiting, SetupError } from "./step.mjs";

const compiled = ["provider", "cli", "emulator", "testing"];
const settings = ["package-lock.json", "tsconfig.json", "tsconfig.build.json"];

/**
 * @typedef {object} BuildPlace
 * @property {string} root
 * @property {import("./paths.mjs").Environment} env
 * @property {string} node
 * @property {(line: string) => void} [tell]
 */

/**
 * Makes `dist` match the sources.
 * @param {BuildPlace} place
 */
export async function ensureBuilt({ root, env, node, tell = say }) {
  const record = path.join(root, "node_modules", ".cache", "pulumi-dbcloud", "build.json");
  if (isBuilt(root, record)) return;
  const onWait = sayWaiting("building dist", tell);
  await withLock(`${record}.lock`, () => (isBuilt(root, record) ? undefined : build()), { onWait });

  async function build() {
    tell("building dist, because it does not match the sources");
    const sources = sourcesOf(root);
    const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
    try {
      await runStep("building dist", node, [tsc, "-p", "tsconfig.build.json"], { cwd: root, env });
    } catch (error) {
      const said = outputLines(error)[0] ?? messageOf(error);
      throw new SetupError(`the sources do not compile:\n${said}`);
    }
    removeOrphans(root);
    makeExecutable(root);
    writeFileSync(record, JSON.stringify({ sources, outputs: outputsOf(root) }));
  }
}

/**
 * @param {string} root
 * @param {string} record
 */
function isBuilt(root, record) {
  try {
    const { sources, outputs } = /** @type {{ sources?: string, outputs?: string }} */ (
      JSON.parse(readFileSync(record, "utf8"))
    );
    return sources === sourcesOf(root) && outputs === outputsOf(root);
  } catch {
    return false; // no record, or half of one
  }
}

/**
 * Sources count by content, so that a change of branch and back costs nothing.
 * @param {string} root
 */
function sourcesOf(root) {
  const files = [...settings, ...compiled.flatMap((folder) => filesIn(root, folder))];
  return fingerprint(files, (file) => readFileSync(path.join(root, file)));
}

/**
 * Outputs count by size and time: enough to see that somebody else has built or removed something.
 * @param {string} root
 */
function outputsOf(root) {
  return fingerprint(filesIn(root, "dist"), (file) => {
    const { size, mtimeMs } = statSync(path.join(root, file));
    return `${size} ${mtimeMs}`;
  });
}

/**
 * @param {string[]} files
 * @param {(file: string) => string | Buffer} contentOf
 */
function fingerprint(files, contentOf) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update("\0").update(contentOf(file)).update("\0");
  return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(root, folder) {
  const full = path.join(root, folder);
  if (!existsSync(full)) return [];
  return readdirSync(full, { withFileTypes: true })
    .flatMap((entry) => {
      const name = path.join(folder, entry.name);
      return entry.isDirectory() ? filesIn(root, name) : [name];
    })
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/**
 * tsc leaves the output of sources that are gone, and a test could go on loading it.
 * @param {string} root
 */
function removeOrphans(root) {
  for (const file of filesIn(root, "dist")) {
    const source = path.join(root, path.relative("dist", file).replace(/(\.d\.ts|\.js|\.js\.map)$/, ".ts"));
    if (!existsSync(source)) rmSync(path.join(root, file));
  }
}

/**
 * npm does this for a package that is installed; here the commands are linked before they are built.
 * @param {string} root
 */
function makeExecutable(root) {
  const { bin } = /** @type {{ bin: Record<string, string> }} */ (
    JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"))
  );
  for (const file of Object.values(bin)) if (existsSync(path.join(root, file))) chmodSync(path.join(root, file), 0o755);
}
