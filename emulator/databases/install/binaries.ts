// Finds a PostgreSQL on this machine: on PATH, in the folders of Debian-like systems, or in the npm package of this platform
// beside this one. One whose programs do not report a version is ignored.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../../errors";
import { isReachableByAll, type Account } from "./account";
import { isPackageFolder, packageFiles, platformPackage, usablePackage } from "./platformPackage";
import { run, type Programs } from "./run";

export interface Binaries extends Programs {
  readonly bin: string;
  /** Like "18.4". */
  readonly version: string;
  readonly major: number;
  readonly source: string;
}

interface Candidate {
  readonly source: string;
  readonly bin: string;
  readonly libraryPath?: string;
}

/** In older ones a user with CREATEROLE can grant itself the role that runs commands as the account of the server. */
const oldestMajor = 16;

const versioned = ["/usr/lib/postgresql", "/usr/local/lib/postgresql", "/opt/homebrew/opt"];

/** The first one that works, of this major version if one is given; or a sentence that says why there is none. */
export async function findBinaries(
  asked: "auto" | { bin: string },
  account: Account,
  major?: number,
): Promise<Binaries | string> {
  if (process.platform === "win32") return "PostgreSQL behind endpoints is not supported on Windows";
  const candidates = asked === "auto" ? everywhere(account) : [named(asked.bin, account)];
  const refused: string[] = [];
  for (const candidate of candidates) {
    const found = await tryOut(candidate, account);
    if (typeof found === "string") refused.push(found);
    else if (major === undefined || found.major === major) return found;
    else refused.push(`${found.bin} is PostgreSQL ${found.version}`);
  }
  const install = `npm i -D ${platformPackage()}${major === undefined ? "" : `@${major}`}`;
  return `${refused.length === 0 ? "no PostgreSQL" : refused.join("; ")}; ${install} installs one`;
}

/** The folder of the programs, or one that has them in `bin`. */
function named(given: string, account: Account): Candidate {
  const folder = path.resolve(given);
  const native = [folder, path.dirname(folder)].find(isPackageFolder);
  if (native !== undefined) {
    return { source: "npm", ...packageFiles(account, path.dirname(native)) };
  }
  return { source: "given", bin: hasServer(path.join(folder, "bin")) ? path.join(folder, "bin") : folder };
}

function* everywhere(account: Account): Generator<Candidate> {
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    if (path.isAbsolute(folder) && hasServer(folder)) yield { source: "PATH", bin: folder };
  }
  for (const root of versioned) {
    for (const bin of versionFolders(root)) yield { source: root, bin };
  }
  const files = usablePackage(account);
  if (files) yield { source: "npm", ...files };
}

/** The newest one first. */
function versionFolders(root: string): string[] {
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).map((name) => ({
    name,
    major: Number(/^(?:postgresql@)?(\d+)$/.exec(name)?.[1]),
  }));
  return versions
    .filter(({ major }) => major >= oldestMajor)
    .toSorted((one, other) => other.major - one.major)
    .map(({ name }) => path.join(root, name, "bin"))
    .filter(hasServer);
}

const hasServer = (folder: string): boolean =>
  folder !== "" && ["postgres", "initdb"].every((program) => existsSync(path.join(folder, program)));

async function tryOut({ source, bin, libraryPath }: Candidate, account: Account): Promise<Binaries | string> {
  if (!hasServer(bin)) return `${bin} has no postgres and initdb`;
  if (account.owner && !isReachableByAll(realpathSync(path.join(bin, "postgres"))))
    return `${bin} is below a folder that only root can enter`;
  const programs = { account, libraryPath };
  try {
    const said = await run(programs, path.join(bin, "postgres"), ["--version"]);
    const version = /\b\d+(?:\.\d+)*(?:beta\d+|rc\d+|devel)?/.exec(said)?.[0] ?? "";
    const major = Number.parseInt(version, 10);
    if (!(major >= oldestMajor))
      return `${bin} is PostgreSQL ${version || "of no version"}, and ${oldestMajor} is needed`;
    return { ...programs, bin, version, major, source };
  } catch (error) {
    return `${bin} does not run here: ${messageOf(error)}`;
  }
}
