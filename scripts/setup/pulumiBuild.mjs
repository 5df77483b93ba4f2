// Builds the Pulumi CLI with Go into a folder's `bin`, from the modules that tools/pulumi pins: Go checks each of them
// against go.sum. An error says in one line why the build failed. Built-ins only.
import { chmodSync, copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { codeOf, messageOf, runStep } from "./step.mjs";
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

  const flags = ["build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-o", bin + path.sep, "-ldflags"];
  const named = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
  const source = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
  await runStep("building the Pulumi CLI", "go", [...flags, named, source], { cwd: cli, env: go });
  const host = "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs";
  await runStep("building the language host", "go", [...flags, "-s -w", host], { cwd: language, env: go });

  const sdk = ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"];
  const module = (await runStep("finding the Pulumi SDK", "go", sdk, { cwd: cli, env: go })).trim();
  const starter = "pulumi-resource-pulumi-nodejs";
  copyFileSync(path.join(module, "nodejs", "dist", starter), path.join(bin, starter));
  // Module files are read-only and not executable.
  chmodSync(path.join(bin, starter), 0o755);
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
  const needs = `building with Go needs ${wanted} or newer`;
  const output = await runStep("looking for Go", "go", ["version"], { cwd, env }).catch((error) => {
    const reason = codeOf(error) === "ENOENT" ? "it is not on PATH" : messageOf(error);
    throw new Error(`${needs}: ${reason}`, { cause: error });
  });
  if (!isAtLeast(output, wanted)) throw new Error(`${needs}: this is ${output.trim()}`);
  return parseVersion(output)?.join(".") ?? output.trim();
}
