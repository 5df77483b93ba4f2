// The package as `npm pack` makes it, for tests of what a user installs.

import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = path.resolve(__dirname, "../../..");

export async function npm(cwd: string, ...args: string[]): Promise<void> {
  await run("npm", [...args, "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], { cwd });
}

/** Packs the package; returns the tarball's path. */
export async function packedInto(folder: string): Promise<string> {
  await npm(repository, "pack", "--pack-destination", folder);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm packed nothing");
  return path.join(folder, tarball);
}

/**
 * A folder with the unpacked package and its dependencies, linked from the repository. A real `npm install` takes far
 * longer; one test covers it.
 */
export async function folderWithPackedPackage(parent: string, name: string): Promise<string> {
  const folder = path.join(parent, name);
  const own = path.join(folder, "node_modules", "pulumi-dbcloud");
  mkdirSync(own, { recursive: true });
  await run("tar", ["-xzf", await packedInto(parent), "-C", own, "--strip-components=1"]);
  for (const other of ["@pulumi", "undici", "vitest", "zod"]) {
    symlinkSync(path.join(repository, "node_modules", other), path.join(folder, "node_modules", other));
  }
  return folder;
}
