// `dist`, which engine and provider process load: bundled anew if it does not match the sources. Built-ins only.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";
import { messageOf, outputLines, runStep, say, SetupError } from "./step.mjs";

const compiled = ["provider", "plugin", "cli", "emulator", "testing", "page"];
const settings = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "docs/errors.md"];
const bundler = fileURLToPath(new URL("bundle.mjs", import.meta.url));

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
  const about = { title: "building dist", tell };
  await withLock(`${record}.lock`, about, () => (isBuilt(root, record) ? undefined : build()));

  async function build() {
    tell("building dist, because it does not match the sources");
    const sources = sourcesOf(root);
    try {
      await runStep("building dist", node, [bundler], { cwd: root, env });
    } catch (error) {
      const said = outputLines(error)[0] ?? messageOf(error);
      throw new SetupError(`the sources do not compile:\n${said}`);
    }
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
  const files = [bundler, ...settings, ...compiled.flatMap((folder) => filesIn(root, folder))];
  return fingerprint(files, (file) => readFileSync(path.resolve(root, file)));
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
 */
function filesIn(root, folder) {
  const full = path.join(root, folder);
  if (!existsSync(full)) return [];
  const names = readdirSync(full, { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name));
  return names.filter((name) => statSync(path.join(root, name)).isFile()).toSorted();
}
