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
  if (problem === undefined) return [{ verdict: "good", text: `Node ${version}` }];
  return [{ verdict: "bad", text: problem.message, advice: problem.hint }];
}

export async function checkPulumi(io: Pick<Io, "cwd" | "environment">): Promise<CheckResult[]> {
  const version = await pulumiVersion(io);
  if (version === undefined) {
    return [
      {
        verdict: "bad",
        text: "no Pulumi CLI on the PATH",
        advice: "Install it: https://www.pulumi.com/docs/install/",
      },
    ];
  }
  if (isAtLeast(version, IMPORT_NEEDS)) return [{ verdict: "good", text: `Pulumi CLI ${version}` }];
  return [
    {
      verdict: "note",
      text: `Pulumi CLI ${version}`,
      advice: `Enough for everything but \`pulumi import --file\`, which needs ${IMPORT_NEEDS} or newer.`,
    },
  ];
}

/** Pulumi: the provider process looks for packages from the program's folder upwards, and never within a package itself. */
export function checkPackage(cwd: string): CheckResult[] {
  const own = findPackage(cwd, "pulumi-dbcloud");
  if (own === undefined) {
    return [
      {
        verdict: "bad",
        text: `a program in ${cwd} does not find pulumi-dbcloud`,
        advice: "In the folder of the program (with Pulumi.yaml): npm install pulumi-dbcloud @pulumi/pulumi",
      },
    ];
  }
  const { folder, version, entry } = own;
  if (entry === undefined) {
    return [
      {
        verdict: "bad",
        text: `pulumi-dbcloud in ${folder} lacks its files: pulumi-dbcloud/provider does not load from there`,
        advice: "Install it again; a checkout of the package must be built first.",
      },
    ];
  }
  const other = version === VERSION ? "" : `; this command is version ${VERSION}`;
  return [{ verdict: "good", text: `pulumi-dbcloud ${version} in ${folder}${other}` }, checkSdk(cwd)];
}

function checkSdk(cwd: string): CheckResult {
  const sdk = findPackage(cwd, "@pulumi/pulumi");
  const advice = "In the folder of the program: npm install @pulumi/pulumi";
  if (sdk === undefined) return { verdict: "bad", text: `a program in ${cwd} does not find @pulumi/pulumi`, advice };
  if (isAtLeast(sdk.version, SDK_NEEDS)) return { verdict: "good", text: `@pulumi/pulumi ${sdk.version}` };
  return { verdict: "bad", text: `@pulumi/pulumi ${sdk.version} is too old: ${SDK_NEEDS} is needed`, advice };
}

interface Installed {
  folder: string;
  version: string;
  /** The file that Pulumi's provider process would load; undefined when it is not there. */
  entry: string | undefined;
}

function findPackage(cwd: string, name: string): Installed | undefined {
  const lookup = createRequire(path.join(cwd, "program.js"));
  for (const scope of lookup.resolve.paths(name) ?? []) {
    const folder = path.join(scope, name);
    const manifest = path.join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version?: string };
    const entry = path.join(folder, "dist/provider/host.js");
    return { folder: realpathSync(folder), version: version ?? "0.0.0", entry: existsSync(entry) ? entry : undefined };
  }
  return undefined;
}
