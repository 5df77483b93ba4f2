// What programs in Python, Go and YAML run with: the language hosts of the Pulumi CLI, a Python with Pulumi's package, and
// the SDKs that are generated from the schema of this package. Only tests of those languages ask for it. Everything that
// is downloaded is checked against sums in tools/pulumi. Built-ins only.
import { chmodSync, copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import path from "node:path";
import { checkGo, goBuild, goEnvironment, moduleFolder } from "./go.mjs";
import { codeOf, messageOf, outputLines, runStep, say, SetupError } from "./step.mjs";
import { ensureToolFolder } from "./toolFolder.mjs";
import { isAtLeast, parseVersion } from "./versions.mjs";

/** The oldest Python of the packages that requirements.txt pins. */
const oldestPython = "3.10.0";
const hosts = ["python", "go", "yaml"].map((language) => `pulumi-language-${language}`);
/** The program that the host of Python starts, with the Python that comes first on PATH. */
const executor = "pulumi-language-python-exec";
const generator = "pulumi-codegen";

/**
 * @typedef {import("./paths.mjs").Environment} Environment
 * @typedef {(line: string) => void} Tell
 *
 * @typedef {object} Languages
 * @property {string} bin The language hosts.
 * @property {string} python The folder of a Python that has Pulumi's package.
 * @property {string} sdks
 *
 * @typedef {object} Place
 * @property {string} root
 * @property {Environment} env
 * @property {string} cache
 * @property {Tell} [tell]
 */

/**
 * Finds or makes the tools in the cache, and the SDKs, in `python`, `go` and `nodejs` of the folder `sdks`.
 * @param {Place} place
 * @returns {Promise<Languages>}
 */
export async function ensureLanguages({ root, env, cache, tell = say }) {
  const key = await toolsKey(root, env);
  const target = path.join(cache, "languages", key);
  await ensureToolFolder({
    target,
    files: [...hosts, executor, generator, "../venv/bin/python"].map((name) => path.join("bin", name)),
    title: "hosts of Python, Go and YAML",
    why: `none in ${path.dirname(target)}; building them, once, about 3 minutes on 2 cores`,
    tell,
    build: (folder) => buildTools({ root, env, folder }),
  }).catch((error) => {
    throw new SetupError(
      [
        `the hosts of Python, Go and YAML could not be built: ${messageOf(error)}`,
        ...outputLines(error),
        `By hand: install Go in the newest version (https://go.dev/dl/) and Python ${oldestPython} or newer with venv`,
        "(https://www.python.org/), and run the command again.",
      ].join("\n"),
    );
  });
  const tools = { bin: path.join(target, "bin"), python: path.join(target, "venv", "bin") };
  return { ...tools, sdks: await ensureSdks({ bin: tools.bin, root, env, key, tell }) };
}

/**
 * The cache keeps the tools apart by platform, by Python and by checksums.
 * @param {string} root
 * @param {Environment} env
 */
async function toolsKey(root, env) {
  const pinned = ["hosts/go.sum", "yaml/go.sum", "codegen/go.sum", "codegen/main.go", "python/requirements.txt"];
  const sums = hashOf(pinned.map((name) => path.join(root, "tools", "pulumi", name)));
  return `${process.platform}-${process.arch}-python${await pythonVersion(env)}-${sums}`;
}

/** @param {string[]} files */
function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex").slice(0, 12);
}

/** @param {Environment} env */
async function pythonVersion(env) {
  const needs = `programs in Python need Python ${oldestPython} or newer`;
  const output = await runStep("looking for Python", "python3", ["--version"], { env }).catch((error) => {
    const reason = codeOf(error) === "ENOENT" ? "there is no python3 on PATH" : messageOf(error);
    throw new SetupError(`${needs}: ${reason}`);
  });
  if (!isAtLeast(output, oldestPython)) throw new SetupError(`${needs}: this is ${output.trim()}`);
  return parseVersion(output)?.slice(0, 2).join(".");
}

/** @param {{ root: string, env: Environment, folder: string }} tools */
async function buildTools({ root, env, folder }) {
  const from = (/** @type {string} */ name) => path.join(root, "tools", "pulumi", name);
  const bin = path.join(folder, "bin");
  const go = goEnvironment(env);
  const [codegen, sources] = [from("codegen"), from("hosts")];
  const stripped = ["-ldflags", "-s -w"];
  await checkGo(codegen, go);
  // Pulumi: the later modules of these two hosts cannot be used by others.
  const sdk = "github.com/pulumi/pulumi/sdk/v3";
  const two = [`${sdk}/python/cmd/pulumi-language-python`, `${sdk}/go/pulumi-language-go`];
  await goBuild("building the hosts of Python and Go", { cwd: sources, env: go, bin }, [...stripped, ...two]);
  const yaml = [...stripped, "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"];
  await goBuild("building the host of YAML", { cwd: from("yaml"), env: go, bin }, yaml);
  await goBuild("building the generator of SDKs", { cwd: codegen, env: go, bin }, [...stripped, "."]);
  const module = await moduleFolder(sdk, { cwd: from("yaml"), env: go });
  copyFileSync(path.join(module, "python", "cmd", executor), path.join(bin, executor));
  chmodSync(path.join(bin, executor), 0o755);

  const venv = path.join(folder, "venv");
  await runStep("making a Python environment", "python3", ["-m", "venv", venv], { env });
  const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--require-hashes", "--only-binary", ":all:"];
  const requirements = ["-r", path.join(from("python"), "requirements.txt")];
  await runStep("installing Pulumi for Python", path.join(venv, "bin", "python"), [...pip, ...requirements], { env });
}

/**
 * @param {{ root: string, env: Environment, bin: string, key: string, tell: Tell }} place
 */
async function ensureSdks({ root, env, bin, key, tell }) {
  const schema = path.join(root, "plugin", "schema.json");
  const target = path.join(root, "node_modules", ".cache", "pulumi-dbcloud", "sdks");
  const stamp = `${key}-${hashOf([schema])}`;
  await ensureToolFolder({
    target,
    files: [stamp],
    title: "SDKs for Python and Go",
    why: "generating them, because none match the schema",
    tell,
    async build(made) {
      await runStep("generating the SDKs", path.join(bin, generator), [schema, made], { env });
      // Pulumi: pyproject.toml names it there, and the generator writes it into the package.
      cpSync(path.join(made, "python", "pulumi_dbcloud", "README.md"), path.join(made, "python", "README.md"));
      writeFileSync(path.join(made, stamp), "");
    },
  });
  return target;
}
