// The log of the run in files: each process writes one, and reads those of the others from where it stopped. Pulumi: each
// provider instance (the default one, an explicit `Provider`) has a process of its own, and so has each form of the package.
// A run has a folder below Pulumi's own in the home of the user, where nobody else can make one. If that cannot be written,
// it is below the temporary directory.

import { hash, randomBytes } from "node:crypto";
import {
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { homedir, hostname, tmpdir, userInfo } from "node:os";
import path from "node:path";
import { systemWallClock } from "../api/clock";
import type { ProcessEnvironment } from "../domain/config/config";
import type { RunLog } from "../core/runLog";
import type { Notes } from "../core/runView";

const OLDEST_FOLDER_MS = 48 * 3_600_000;
const LINE_END = 0x0a;

interface RunFile {
  handle: number;
  /** How far it was read. */
  offset: number;
}

/** `engine`: the address of the engine, which all processes of a run share. */
export function openRunFiles(engine: string, environment: ProcessEnvironment): RunLog {
  const socket = socketOf(engine);
  const run = [hostname(), engine, socket].join("@").replaceAll(/[^\w.@-]/g, "_");
  const folders = runsFolders(environment).map((runs) => path.join(runs, run));
  const own = `${process.pid}@${startOf(process.pid)}@${randomBytes(4).toString("hex")}`;
  const others = new Map<string, RunFile>();
  let ownHandle: number | undefined;
  /** What could not be written yet. */
  let rest = Buffer.alloc(0);
  const isOfRun = (name: string): boolean => name !== own && (socket !== "" || isAlive(name));
  const openNew = (folder: string): void => {
    const files = attempt(() => readdirSync(folder))?.filter(isOfRun) ?? [];
    const unopened = files.map((name) => path.join(folder, name)).filter((file) => !others.has(file));
    if (unopened.length === 0 || !isPrivate(path.dirname(folder))) return;
    for (const file of unopened) others.set(file, { handle: openSync(file, "r"), offset: 0 });
  };
  return {
    append(event) {
      // The others must not miss what could not be written before.
      rest = Buffer.concat([rest, Buffer.from(`${JSON.stringify(event)}\n`)]);
      const written = attempt(() => writeSync((ownHandle ??= openOwn(folders, own)), rest)) ?? 0;
      rest = rest.subarray(written);
      return rest.length === 0;
    },
    next() {
      for (const folder of folders) openNew(folder);
      return [...others.values()].flatMap(eventsIn);
    },
    digest: (words) => hash("sha256", words, "base64"),
  };
}

/** What is asked without a pause is answered from one read. Of two processes that tell something, one sees what the other told. */
export function readOnce(log: RunLog): RunLog {
  let isCurrent = false;
  return {
    ...log,
    append(event) {
      isCurrent = false;
      return log.append(event);
    },
    next() {
      if (isCurrent) return [];
      isCurrent = true;
      queueMicrotask(() => (isCurrent = false));
      return log.next();
    },
  };
}

/** The folders of all runs, the best one first. */
function runsFolders(environment: ProcessEnvironment): string[] {
  const user = process.getuid?.() ?? attempt(() => userInfo().username) ?? "";
  return [path.join(ownFolder(environment), "runs"), path.join(tmpdir(), `pulumi-dbcloud-${user}`)];
}

/**
 * What later runs of this user must know, one file for each note. A note that cannot be written is lost, because nobody is kept
 * from a create or a delete by it; errors say what to do without it.
 */
export function openNotes(environment: ProcessEnvironment): Notes {
  const folder = path.join(ownFolder(environment), "notes");
  const fileOf = (key: string): string => path.join(folder, hash("sha256", key, "hex"));
  return {
    read: (key) => attempt(() => readFileSync(fileOf(key), "utf8")),
    write: (key, text) =>
      attempt(() => {
        if (text === undefined) return unlinkSync(fileOf(key));
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        // A process may be killed while it writes.
        const part = `${fileOf(key)}.${process.pid}`;
        writeFileSync(part, text, { mode: 0o600 });
        renameSync(part, fileOf(key));
      }),
  };
}

function ownFolder(environment: ProcessEnvironment): string {
  // Pulumi: `envVarMappings` can give one provider of a run another HOME.
  // The account of a container may have no home: nothing can be written there.
  const home = attempt(() => userInfo().homedir) ?? attempt(homedir) ?? "/dev/null";
  return path.join(environment["PULUMI_HOME"] || path.join(home, ".pulumi"), "dbcloud");
}

function openOwn(folders: readonly string[], name: string): number {
  for (const folder of folders) {
    const handle = attempt(() => {
      prepare(path.dirname(folder));
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return openSync(path.join(folder, name), "ax", 0o600);
    });
    if (handle !== undefined) return handle;
  }
  throw new Error("no folder can be written");
}

/** Makes the folder of all runs, and removes old ones. */
function prepare(runs: string): void {
  mkdirSync(runs, { recursive: true, mode: 0o700 });
  if (!isPrivate(runs)) throw new Error(`${runs} is not private to this user`);
  for (const name of readdirSync(runs)) {
    const old = path.join(runs, name);
    attempt(() => {
      if (systemWallClock.epochMs() - statSync(old).mtimeMs > OLDEST_FOLDER_MS) rmSync(old, { recursive: true });
    });
  }
}

/** Everybody can make a folder below the temporary directory. */
function isPrivate(runs: string): boolean {
  if (process.getuid === undefined || !runs.startsWith(tmpdir())) return true;
  const { uid, mode } = lstatSync(runs);
  return uid === process.getuid() && (mode & 0o077) === 0;
}

/** What was appended since the last time. A line without an end is not written yet. */
function eventsIn(file: RunFile): unknown[] {
  const size = fstatSync(file.handle).size - file.offset;
  if (size <= 0) return [];
  const bytes = Buffer.alloc(size);
  const read = readSync(file.handle, bytes, 0, size, file.offset);
  const end = bytes.subarray(0, read).lastIndexOf(LINE_END) + 1;
  file.offset += end;
  const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
  // The view takes what is no event for one that it cannot read.
  return lines.map((line) => attempt<unknown>(() => JSON.parse(line)));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Without the socket of the engine, a later run can have its address, and only the files of living processes count. */
function isAlive(name: string): boolean {
  const [pid = "", start = ""] = name.split("@");
  return attempt(() => process.kill(Number(pid), 0)) === true && startOf(Number(pid)) === start;
}

// Linux shows what is needed to distinguish two processes of one id, and two engines of one address.

/**
 * The socket at which the engine listens; empty where it is not known. All processes see the same one, also those that the
 * engine did not start (PULUMI_DEBUG_PROVIDERS). No two since the start of the machine have the same number.
 */
function socketOf(engine: string): string {
  const port = Number(engine.slice(engine.lastIndexOf(":") + 1));
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const listeners = (kind: string): string[][] =>
    textIn(`/proc/net/${kind}`)
      .split("\n")
      .filter((row) => row.includes(end))
      .map((row) => row.trim().split(/\s+/))
      .filter(([, local = "", , state]) => local.endsWith(end) && state === LISTENING);
  // Others can listen at the same port of other addresses.
  const rows = listeners("tcp");
  const found = rows.find(([, local]) => local === `${LOOPBACK}${end}`) ?? rows[0] ?? listeners("tcp6")[0];
  return found === undefined ? "" : `${found[9]}@${textIn("/proc/sys/kernel/random/boot_id").trim()}`;
}

const LISTENING = "0A";
/** Pulumi: the engine listens at 127.0.0.1. */
const LOOPBACK = "0100007F";

/** When a process began; empty where it is not known. */
function startOf(pid: number): string {
  const text = textIn(`/proc/${pid}/stat`);
  // The name of the process, in brackets, can hold blanks.
  return text.slice(text.lastIndexOf(") ") + 2).split(" ")[19] ?? "";
}

function textIn(file: string): string {
  return attempt(() => readFileSync(file, "utf8")) ?? "";
}
