// The folder below `data` that stores the servers: their data, the prepared cluster, the certificate that
// clients trust, and their ports. It belongs to one major version of PostgreSQL, and to one account. It may come from
// elsewhere: nothing in it names a process that is ended or a folder that is removed.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readlinkSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { notWhole } from "../../errors";
import { changeableByOthers, isReachableByAll, privateFolder, type Account } from "./account";
import { run, script } from "./run";

/** The prepared cluster that all services were copied from; all have its version. */
export const baseName = "base";

const folderIn = (data: string): string => path.join(data, "postgres");
const serversIn = (data: string): string => path.join(folderIn(data), "servers");

/** The major version of the databases stored there; undefined if there are none. */
export async function keptMajor(account: Account, data: string): Promise<number | undefined> {
  const file = path.join(serversIn(data), baseName, "PG_VERSION");
  const text = await run({ account }, "head", ["-c", "9", file]).catch(() => "");
  return text === "" ? undefined : Number.parseInt(text, 10);
}

/** A sentence that says why servers cannot be stored there, or undefined if they can. */
export async function whyNotKept(account: Account, data: string): Promise<string | undefined> {
  const { owner } = account;
  const foreign = owner && changeableByOthers(data);
  if (foreign !== undefined)
    return `${foreign} belongs to another account or can be changed by all: let that account start the emulator, or take another folder`;
  if (owner && !isReachableByAll(data))
    return `${data} is below a folder that only root can enter, and the servers run as another account`;
  const uid = owner?.uid ?? process.getuid?.();
  const folders: [string, number | undefined][] = [
    [folderIn(data), process.getuid?.()],
    [serversIn(data), uid],
  ];
  for (const [folder, user] of folders) {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) return `${folder} is no folder: remove it, or take another folder`;
    if (found && found.uid !== user)
      return `the databases in ${data} belong to the account ${found.uid}, and servers that this user starts run as ${uid}`;
  }
  return existsSync(serversIn(data)) ? whyNotPlain(account, serversIn(data)) : undefined;
}

/** A database has files and folders alone; a link would lead the servers and the clean-up out of the folder. */
async function whyNotPlain(account: Account, servers: string): Promise<string | undefined> {
  const found = await run({ account }, "find", [servers, "!", "-type", "f", "!", "-type", "d"]);
  const [first = ""] = found.split("\n");
  return first === "" ? undefined : `${first} is neither a file nor a folder: remove it, or take another folder`;
}

/** Resolves with the folder; no server of an earlier emulator runs there then. */
export async function openKeptFolder(account: Account, data: string): Promise<string> {
  const [folder, servers] = [folderIn(data), serversIn(data)];
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The account of the servers traverses this folder. The files beside are readable by their owner alone.
  if (account.owner) for (const each of [data, folder]) chmodSync(each, statSync(each).mode | 0o011);
  if (existsSync(servers)) {
    await requireBase(account, servers);
    await awaitEnd(account, servers);
  } else privateFolder(account, servers);
  return folder;
}

/** Forks and standbys of the databases are made of the cluster that these were copied from. */
async function requireBase(account: Account, servers: string): Promise<void> {
  const names = (await run({ account }, "ls", ["-1", servers])).split("\n").filter(Boolean);
  if (names.includes(baseName) || names.every((name) => name.startsWith(baseName))) return;
  throw notWhole(`${path.join(servers, baseName)}, from which the databases there were made, is missing`);
}

/** The watchdog of a killed emulator needs a moment. */
const longestWaitMs = 10_000;
const pauseMs = 20;

async function awaitEnd(account: Account, servers: string): Promise<void> {
  const listing = await script({ account }, pidsScript, servers);
  const pids = listing.split("\n").filter((line) => /^[1-9]\d*$/.test(line));
  for (const end = Date.now() + longestWaitMs; ;) {
    const running = pids.find((pid) => isServerIn(pid, servers));
    if (running === undefined) break;
    if (Date.now() > end) throw new Error(`PostgreSQL ${running} runs in ${servers}: end it, or take another folder`);
    await wait(pauseMs);
  }
  // By now another process may have the id in such a file.
  await script({ account }, 'rm -f "$1"/*/postmaster.pid', servers);
}

const pidsScript = 'for file in "$1"/*/postmaster.pid; do if [ -f "$file" ]; then sed -n 1p "$file"; fi; done';

/** Without /proc nothing tells its folder. */
function isServerIn(pid: string, servers: string): boolean {
  try {
    if (!existsSync("/proc/self/exe"))
      return execFileSync("ps", ["-o", "comm=", "-p", pid], { encoding: "utf8" }).includes("postgres");
    const isServer = path.basename(readlinkSync(`/proc/${pid}/exe`)).startsWith("postgres");
    return isServer && readlinkSync(`/proc/${pid}/cwd`).startsWith(`${servers}${path.sep}`);
  } catch {
    return false; // It has ended, or belongs to another account.
  }
}
