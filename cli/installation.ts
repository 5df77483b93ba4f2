// What the doctor looks at on this machine: Node, the Pulumi CLI, and this package as the provider process will find it.
// Must load on any Node.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { VERSION } from "../provider/api/version";
import { nodeProblem } from "../provider/domain/config/nodeVersion";
import { isAtLeast } from "../provider/domain/values/version";
import type { Io } from "./command";
import { IMPORT_NEEDS, pulumiVersion } from "./pulumiCli";

export interface CheckResult {
  verdict: "good" | "note" | "bad";
  text: string;
  /** What to do about it. */
  advice?: string | undefined;
  /** Something could not be looked at, so nobody can say that all is well. */
  isOpen?: true;
}

/** The first @pulumi/pulumi that shows drift by property. */
const SDK_NEEDS = "3.216.0";

export function checkNode(version: string): CheckResult[] {
  const problem = nodeProblem(version);
  return problem === undefined ? [{ verdict: "good", text: `Node ${version}` }] : [bad(problem.message, problem.hint)];
}

export async function checkPulumi(io: Pick<Io, "cwd" | "environment">): Promise<CheckResult[]> {
  const version = await pulumiVersion(io);
  if (version === undefined)
    return [bad("no Pulumi CLI on the PATH", "Install it: https://www.pulumi.com/docs/install/")];
  const text = `Pulumi CLI ${version}`;
  if (isAtLeast(version, IMPORT_NEEDS)) return [{ verdict: "good", text }];
  const advice = `Enough for everything but \`pulumi import --file\`, which needs ${IMPORT_NEEDS} or newer.`;
  return [{ verdict: "note", text, advice }];
}

/** Pulumi: the provider process looks for packages from the program's folder upwards, and never within a package itself. */
export function checkPackage(cwd: string): CheckResult[] {
  const install = "In the folder of the program (with Pulumi.yaml): npm install pulumi-dbcloud @pulumi/pulumi";
  const own = findPackage(cwd, "pulumi-dbcloud");
  if (own === undefined) return [bad(`a program in ${cwd} does not find pulumi-dbcloud`, install)];
  const { folder, version } = own;
  if (version === undefined) return [unreadable("pulumi-dbcloud", folder)];
  if (!existsSync(path.join(folder, "dist/provider/host.js"))) {
    const text = `pulumi-dbcloud in ${folder} lacks its files: pulumi-dbcloud/provider does not load from there`;
    return [bad(text, "Install it again; a checkout of the package must be built first.")];
  }
  const other = version === VERSION ? "" : `; this command is version ${VERSION}`;
  return [{ verdict: "good", text: `pulumi-dbcloud ${version} in ${folder}${other}` }, checkSdk(cwd)];
}

function checkSdk(cwd: string): CheckResult {
  const name = "@pulumi/pulumi";
  const install = `In the folder of the program: npm install ${name}`;
  const sdk = findPackage(cwd, name);
  if (sdk === undefined) return bad(`a program in ${cwd} does not find ${name}`, install);
  if (sdk.version === undefined) return unreadable(name, sdk.folder);
  if (isAtLeast(sdk.version, SDK_NEEDS)) return { verdict: "good", text: `${name} ${sdk.version}` };
  return bad(`${name} ${sdk.version} is too old: ${SDK_NEEDS} is needed`, install);
}

function unreadable(name: string, folder: string): CheckResult {
  return bad(`the package.json of ${name} in ${folder} is not one`, "Install the package again.");
}

export function bad(text: string, advice: string | undefined): CheckResult {
  return { verdict: "bad", text, advice };
}

interface Installed {
  folder: string;
  /** Undefined if package.json names none. */
  version: string | undefined;
}

function findPackage(cwd: string, name: string): Installed | undefined {
  const lookup = createRequire(path.join(cwd, "program.js"));
  const folder = lookup.resolve
    .paths(name)
    ?.map((scope) => path.join(scope, name))
    .find((one) => existsSync(path.join(one, "package.json")));
  return folder === undefined ? undefined : { folder: realpathSync(folder), version: versionIn(folder) };
}

function versionIn(folder: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { version?: unknown };
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}
