// Builds the Pulumi CLI with Go into a folder's `bin`, from the modules that tools/pulumi pins: Go checks each of them
// against go.sum. An error says in one line why the build failed. Built-ins only.
import { chmodSync, copyFileSync } from "node:fs";
import path from "node:path";
import { checkGo, goBuild, goEnvironment, moduleFolder } from "./go.mjs";

/**
 * @typedef {object} BuildContext
 * @property {string} root
 * @property {import("./paths.mjs").Environment} env
 * @property {string} version
 * @property {string} folder The programs come into its `bin`.
 */

/**
 * CLI, language host and the script that starts dynamic providers, as `go build` makes them; minutes of work.
 * @param {BuildContext} context
 */
export async function buildPulumi({ root, env, version, folder }) {
  const cli = path.join(root, "tools", "pulumi", "cli");
  const language = path.join(root, "tools", "pulumi", "language");
  const bin = path.join(folder, "bin");
  const go = goEnvironment(env);
  await checkGo(cli, go);

  const named = ["-ldflags", `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`];
  const source = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
  await goBuild("building the Pulumi CLI", { cwd: cli, env: go, bin }, [...named, source], "1,680");
  const host = "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs";
  await goBuild("building the language host", { cwd: language, env: go, bin }, ["-ldflags", "-s -w", host]);

  const module = await moduleFolder("github.com/pulumi/pulumi/sdk/v3", { cwd: cli, env: go });
  const starter = "pulumi-resource-pulumi-nodejs";
  copyFileSync(path.join(module, "nodejs", "dist", starter), path.join(bin, starter));
  // Module files are read-only and not executable.
  chmodSync(path.join(bin, starter), 0o755);
}
