// The folder of one emulator, and who looks after it: a watchdog that cleans up when the emulator is killed, and a sweep
// at the next start for what even the watchdog could not.

import { spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isReachableByAll, own, privateFolder, type Account } from "./account";

const prefix = "dbcloud-pg-";
const ownerFile = "owner";

/** Socket paths end at 107 bytes, and `/<12 letters>/.s.PGSQL.<port>` comes after the folder. */
const longestRoot = 70;

export interface RunFolder {
  readonly root: string;
  /** Removes everything and ends the watchdog. */
  close(): Promise<void>;
}

export function openRunFolder(account: Account): RunFolder {
  const parent = usableTemp(account);
  sweep(parent);
  const root = mkdtempSync(path.join(parent, prefix));
  writeFileSync(path.join(root, ownerFile), ownerText(process.pid));
  // The emulator's own files lie here, and the account of the servers passes through.
  chmodSync(root, account.owner ? 0o711 : 0o700);
  const watchdog = startWatchdog(root, "pipe");
  for (const name of ["servers", "sockets"]) privateFolder(account, path.join(root, name));
  own(account, path.join(root, "servers"));
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

function usableTemp({ owner }: Account): string {
  const given = tmpdir();
  const isUsable = given.length < longestRoot - prefix.length && (!owner || isReachableByAll(path.join(given, prefix)));
  return isUsable ? given : "/tmp";
}

/** At the end of its standard input it cleans up: with "ignore", that is at once. */
function startWatchdog(root: string, stdin: "pipe" | "ignore"): ChildProcess {
  const file = path.join(__dirname, `watchdog${path.extname(__filename)}`);
  const child = spawn(process.execPath, [file, root], {
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

/** Folders whose emulator has ended: nobody uses them any more. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const root = path.join(parent, name);
    if (isAbandoned(root)) startWatchdog(root, "ignore");
  }
}

function isAbandoned(root: string): boolean {
  try {
    if (statSync(root).uid !== process.getuid?.()) return false;
    const text = readFileSync(path.join(root, ownerFile), "utf8");
    return text !== ownerText(Number.parseInt(text, 10));
  } catch {
    return false; // It is being made, or removed, at this moment.
  }
}

/** A pid is used again; with the moment of its start it is unique. */
function ownerText(pid: number): string {
  if (!isAlive(pid)) return `${pid} ended`;
  const stat = `/proc/${pid}/stat`;
  const started = existsSync(stat) ? readFileSync(stat, "utf8").split(") ").pop()?.split(" ")[19] : undefined;
  return `${pid} ${started ?? "running"}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
