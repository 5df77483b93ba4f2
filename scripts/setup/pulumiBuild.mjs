// Builds the Pulumi CLI with Go into a folder's `bin`, from the modules that tools/pulumi pins: Go checks each of them
// against go.sum. An error says in one line why the build failed. Built-ins only.
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { codeOf, messageOf, runStep, StepError } from "./step.mjs";
import { isAtLeast, parseVersion } from "./versions.mjs";

/**
 * @typedef {object} BuildContext
 * @property {string} root
 * @property {import("./paths.mjs").Environment} env
 * @property {string} version
 * @property {string} folder The programs come into its `bin`.
 * @property {(line: string) => void} tell
 */

/**
 * CLI, language host and the script that starts dynamic providers, as `go build` makes them; minutes of work.
 * @param {BuildContext} context
 */
export async function buildPulumi({ root, env, version, folder, tell }) {
  const cli = path.join(root, "tools", "pulumi", "cli");
  const language = path.join(root, "tools", "pulumi", "language");
  const bin = path.join(folder, "bin");
  const go = goEnvironment(env);
  const goVersion = await checkGo(cli, go);
  tell(`Pulumi CLI: building ${version} with Go ${goVersion}, once, about 5 minutes on 2 cores`);

  const named = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
  await build("the Pulumi CLI", cli, "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi", `-s -w ${named}`);
  const host = "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs";
  await build("the Pulumi language host", language, host, "-s -w");
  const sdk = ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"];
  const { stdout } = await promisify(execFile)("go", sdk, { cwd: cli, env: go });
  copyStarter(path.join(stdout.trim(), "nodejs", "dist"), bin);

  /**
   * @param {string} title
   * @param {string} cwd
   * @param {string} source
   * @param {string} ldflags
   */
  async function build(title, cwd, source, ldflags) {
    const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", ldflags];
    try {
      await runStep(`building ${title}`, "go", ["build", ...flags, "-o", bin + path.sep, source], { cwd, env: go });
    } catch (error) {
      const output = error instanceof StepError ? error.output : "";
      throw new StepError(`building ${title} failed: ${messageOf(error)}`, output);
    }
  }
}

/**
 * The build is for this machine and from these modules, whatever else the user builds in this shell. Flags set by habit
 * (`-modfile`, `-overlay`, `-toolexec`) could put other sources in their place.
 * @param {import("./paths.mjs").Environment} env
 */
function goEnvironment(env) {
  const { GOOS: _os, GOARCH: _arch, ...others } = env;
  return { ...others, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly", GIT_TERMINAL_PROMPT: "0" };
}

/**
 * Asked in the module's folder, Go answers with the toolchain that it would use there, and may fetch a newer one.
 * @param {string} cwd
 * @param {import("./paths.mjs").Environment} env
 */
async function checkGo(cwd, env) {
  const wanted = /^go (\S+)$/m.exec(readFileSync(path.join(cwd, "go.mod"), "utf8"))?.[1] ?? "1.0.0";
  let output;
  try {
    output = (await promisify(execFile)("go", ["version"], { cwd, env })).stdout;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const reason = codeOf(error) === "ENOENT" ? "it is not on PATH" : said || messageOf(error);
    throw new Error(`building with Go needs ${wanted} or newer: ${reason}`, { cause: error });
  }
  if (!isAtLeast(output, wanted))
    throw new Error(`building with Go needs ${wanted} or newer: this is ${output.trim()}`);
  return parseVersion(output)?.join(".") ?? output.trim();
}

/**
 * Module files are read-only and not executable.
 * @param {string} from
 * @param {string} bin
 */
function copyStarter(from, bin) {
  for (const name of ["pulumi-resource-pulumi-nodejs", "pulumi-resource-pulumi-nodejs.cmd"]) {
    copyFileSync(path.join(from, name), path.join(bin, name));
    chmodSync(path.join(bin, name), 0o755);
  }
}
