// What the set-up builds with Go: from modules that a folder of tools pins, each of which Go checks against go.sum.
// Built-ins only.
import { readFileSync } from "node:fs";
import path from "node:path";
import { codeOf, messageOf, runStep } from "./step.mjs";
import { isAtLeast } from "./versions.mjs";

/** @typedef {{ cwd: string, env: import("./paths.mjs").Environment }} Module */

/**
 * The build is for this machine and from these modules, whatever else the user builds in this shell. Flags set by habit
 * (`-modfile`, `-overlay`, `-toolexec`) could put other sources in their place.
 * @param {import("./paths.mjs").Environment} env
 */
export function goEnvironment(env) {
  const { GOOS: _os, GOARCH: _arch, ...others } = env;
  return { ...others, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly", GIT_TERMINAL_PROMPT: "0" };
}

/**
 * Asked in the module's folder, Go answers with the toolchain that it would use there, and may fetch a newer one.
 * @param {string} cwd
 * @param {import("./paths.mjs").Environment} env
 */
export async function checkGo(cwd, env) {
  const wanted = /^go (\S+)$/m.exec(readFileSync(path.join(cwd, "go.mod"), "utf8"))?.[1] ?? "1.0.0";
  const needs = `building with Go needs ${wanted} or newer`;
  const output = await runStep("looking for Go", "go", ["version"], { cwd, env }).catch((error) => {
    const reason = codeOf(error) === "ENOENT" ? "it is not on PATH" : messageOf(error);
    throw new Error(`${needs}: ${reason}`, { cause: error });
  });
  if (!isAtLeast(output, wanted)) throw new Error(`${needs}: this is ${output.trim()}`);
}

/**
 * @param {string} title
 * @param {Module & { bin: string }} place
 * @param {string[]} what
 * @param {string} [total] Of the packages that Go compiles.
 */
export async function goBuild(title, { cwd, env, bin }, what, total) {
  const flags = ["build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-v", "-o", bin + path.sep];
  await runStep(title, "go", [...flags, ...what], {
    cwd,
    env,
    words: `packages compiled${total ? ` of about ${total}` : ""}`,
  });
}

/**
 * Where Go keeps the files of a module.
 * @param {string} name
 * @param {Module} place
 */
export async function moduleFolder(name, place) {
  const args = ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", name];
  return (await runStep(`finding ${name}`, "go", args, place)).trim();
}
