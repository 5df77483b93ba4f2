// The temporary folder of one emulator and its clean-up: a watchdog cleans up if the emulator is killed, and the next
// start removes what the watchdog missed. Sockets are always here, because their paths are short.

import { spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { livingOwner, ownerText } from "../../ownerProcess";
import { isReachableByAll, privateFolder, type Account } from "./account";

const prefix = "dbcloud-pg-";
const ownerFile = "owner";

/** A file in it with the path of the emulator's data folder for servers, if there is one. */
const keptFile = "kept";

/** Socket paths end at 107 bytes, and `/<12 letters>/.s.PGSQL.<port>` comes after the folder. */
const longestRoot = 70;

export interface RunFolder {
  readonly root: string;
  /** Removes everything and ends the watchdog. */
  close(): Promise<void>;
}

/** `kept`: a data folder in which servers run too, and which is not removed. */
export function openRunFolder(account: Account, kept: string | undefined): RunFolder {
  const parent = usableTemp(account);
  sweep(parent);
  const root = newRoot(parent, ownerText(process.pid), kept);
  // The emulator's own files are here, and the account of the servers traverses the folder.
  chmodSync(root, account.owner ? 0o711 : 0o700);
  const watchdog = startWatchdog(root, "pipe");
  for (const name of ["servers", "sockets"]) privateFolder(account, path.join(root, name));
  return {
    root,
    close: async () => {
      const ended = new Promise((resolve) => watchdog.once("close", resolve));
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
      watchdog.ref();
      watchdog.stdin?.end();
      if (watchdog.exitCode === null && watchdog.signalCode === null) await ended;
    },
  };
}

function newRoot(parent: string, owner: string, kept: string | undefined): string {
  const root = mkdtempSync(path.join(parent, prefix));
  if (kept !== undefined) writeFileSync(path.join(root, keptFile), kept);
  writeFileSync(path.join(root, ownerFile), owner);
  return root;
}

/**
 * Ends the processes that an emulator which has ended left in a data folder, and resolves when they have ended: `root`
 * is that emulator's temporary folder. Its watchdog may do the same at the same time; neither touches the data folder
 * once the root is gone.
 */
export async function endLeftovers(account: Account, root: string, kept: string): Promise<void> {
  const isThere = path.basename(root).startsWith(prefix) && isAbandoned(root);
  const watchdog = startWatchdog(isThere ? root : newRoot(usableTemp(account), "0 ended", kept), "ignore");
  watchdog.ref();
  if (watchdog.exitCode === null) await new Promise((resolve) => watchdog.once("close", resolve));
}

/**
 * Socket paths are used in lists, connection strings and the pooler's file: no character in them may have a special
 * meaning.
 */
const isPlain = (folder: string): boolean => /^[\w./+-]+$/.test(folder);

function usableTemp({ owner }: Account): string {
  const given = tmpdir();
  const isShort = given.length < longestRoot - prefix.length;
  const isUsable = isShort && isPlain(given) && (!owner || isReachableByAll(path.join(given, prefix)));
  return isUsable ? given : "/tmp";
}

/** The watchdog cleans up at the end of its standard input: with "ignore", at once. */
function startWatchdog(root: string, stdin: "pipe" | "ignore"): ChildProcess {
  const file = path.join(__dirname, `watchdog${path.extname(__filename)}`);
  const keptNote = path.join(root, keptFile);
  const kept = existsSync(keptNote) ? [readFileSync(keptNote, "utf8")] : [];
  const child = spawn(process.execPath, [file, root, ...kept], {
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

/** Folders whose emulator has ended: no process uses them any more. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const root = path.join(parent, name);
    if (isAbandoned(root)) startWatchdog(root, "ignore");
  }
}

function isAbandoned(root: string): boolean {
  try {
    const { uid } = lstatSync(root);
    if (uid !== process.getuid?.()) return false;
    return livingOwner(readFileSync(path.join(root, ownerFile), "utf8")) === undefined;
  } catch {
    return false; // Another process is making or removing it at this moment.
  }
}
