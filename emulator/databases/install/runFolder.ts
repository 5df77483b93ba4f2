// The temporary folder of one emulator and its clean-up: a watchdog cleans up if the emulator is killed, and the next
// start removes what the watchdog missed. Sockets are always here, because their paths are short.

import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { livingOwner, ownerText } from "../../ownerProcess";
import { changeableByOthers, isReachableByAll, openFolder, privateFolder, type Account } from "./account";
import { watchdog } from "./watchdog";

const prefix = "dbcloud-pg-";
const ownerFile = "owner";

/** A line for each process that was started: its id, its start time, and the name of its program. */
const processesFile = "processes";

/** Socket paths end at 107 bytes, and `/<12 letters>/.s.PGSQL.<port>` comes after the folder. */
const longestRoot = 70;

export type RunFolder = ReturnType<typeof openRunFolder>;

/** Writes a file that the account of the servers can read. */
export function settingsFile({ settings }: { readonly settings: string }, name: string, text: string): string {
  const file = path.join(settings, name);
  writeFileSync(file, text);
  chmodSync(file, 0o644);
  return file;
}

export function openRunFolder(account: Account) {
  const parent = usableTemp(account);
  sweep(parent);
  const root = mkdtempSync(path.join(parent, prefix));
  writeFileSync(path.join(root, ownerFile), ownerText(process.pid));
  // The emulator's own files are here, and the account of the servers traverses the folder.
  chmodSync(root, account.owner ? 0o711 : 0o700);
  const child = startWatchdog(root, "pipe");
  for (const name of ["servers", "sockets"]) privateFolder(account, path.join(root, name));
  // Configuration files: the account of the servers reads them, and cannot change them.
  const settings = path.join(root, "settings");
  mkdirSync(settings);
  openFolder(settings);
  return {
    root,
    settings,
    /** Whatever happens, this process does not outlive the emulator. */
    record: (pid: number, file: string): void =>
      appendFileSync(path.join(root, processesFile), `${ownerText(pid)} ${path.basename(file)}\n`, { mode: 0o600 }),
    /** Removes everything and ends the watchdog. */
    close: async (): Promise<void> => {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.ref();
      child.stdin?.end();
      if (child.exitCode === null && child.signalCode === null) await ended;
    },
  };
}

/**
 * Socket paths are used in lists, connection strings and the pooler's file: no character in them may have a special
 * meaning.
 */
const isPlain = (folder: string): boolean => /^[\w./+-]+$/.test(folder);

function usableTemp({ owner }: Account): string {
  const given = tmpdir();
  const isShort = given.length < longestRoot - prefix.length;
  const isForOthers = isReachableByAll(path.join(given, prefix)) && changeableByOthers(given) === undefined;
  return isShort && isPlain(given) && (!owner || isForOthers) ? given : "/tmp";
}

/** The watchdog cleans up at the end of its standard input: with "ignore", at once. */
function startWatchdog(root: string, stdin: "pipe" | "ignore"): ChildProcess {
  const child = spawn(process.execPath, ["-e", `(${watchdog.toString()})()`, root], {
    stdio: [stdin, "ignore", "ignore"],
    detached: true,
    cwd: path.dirname(root),
    env: {},
  });
  child.on("error", () => undefined);
  child.stdin?.on("error", () => undefined);
  child.unref();
  return child;
}

/** Folders of this account whose emulator has ended. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const root = path.join(parent, name);
    if (isAbandoned(root)) startWatchdog(root, "ignore");
  }
}

function isAbandoned(root: string): boolean {
  try {
    const found = lstatSync(root);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
    return livingOwner(readFileSync(path.join(root, ownerFile), "utf8")) === undefined;
  } catch {
    return false; // Another process is making or removing it at this moment.
  }
}
