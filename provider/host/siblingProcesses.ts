// The provider processes of one run tell each other which objects they keep, and which are protected. Pulumi: each provider
// instance (the default one, an explicit `Provider`) has its own process, and one object can have a state entry under two
// instances. The process that is to delete the object must know that the other one keeps it. The processes share a file in a
// private folder of the temporary folder, named after the address of their engine. A line counts while the process that wrote
// it is alive, so lines of an earlier run are ignored. Lines of a process that was killed in this run still count, because
// its objects are still kept; the process of the engine identifies the run (Linux). Process ids are reused, in containers
// soon, so a process is identified by its id and its start time.

import { appendFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { systemWallClock } from "../api/wallClock";
import { PROTECTIONS, type SiblingProcesses } from "../lifecycle/state/memory";

/** The signs of lines with the protection of an object, and with the resource that is to adopt it. */
const PROTECTION = "=";
const ADOPTION = "?";
/** The signs of lines that say whether it is kept. */
const KEPT = ["+", "-"];
type Sign = "+" | "-" | typeof PROTECTION | typeof ADOPTION;

const OLDEST_FILE_MS = 48 * 3_600_000;

interface Options {
  /** The address of the engine, which all processes of a run share. */
  engine: string;
  /** Default: a folder of this user in the temporary folder. */
  folder?: string;
  pid?: number;
  isAlive?: (pid: number) => boolean;
  /** The process of the engine. Default: the nearest `pulumi` among the ancestors; undefined if that is not known. */
  enginePid?: number | undefined;
  /** The start time of a process; undefined if the system does not show it. */
  startOf?: (pid: number) => string | undefined;
}

export function createSiblingProcesses(options: Options): SiblingProcesses {
  const { engine, folder = defaultFolder(), pid = process.pid, enginePid = nearestPulumi(process.ppid) } = options;
  const { nameOf, isAlive } = createNames(options);
  const name = nameOf(pid);
  const engineName = enginePid === undefined ? undefined : nameOf(enginePid);
  const file = path.join(folder, `${engine.replaceAll(/[^\w.-]/g, "_")}.run`);
  let isUsable: boolean | undefined;
  const write = (sign: Sign, object: string, words: readonly string[]): void => {
    isUsable ??= prepare(folder);
    if (!isUsable) return;
    attempt(() => {
      appendFileSync(file, `${JSON.stringify([name, engineName ?? "", sign, object, ...words])}\n`, { mode: 0o600 });
    });
  };
  /** The lines of the other processes of this run about the object. A destroy often has no file, and only checks that. */
  const linesOn = (object: string): Line[] => {
    if (!existsSync(file) || !isPrivate(folder)) return [];
    const text = attempt(() => readFileSync(file, "utf8")) ?? "";
    return text
      .split("\n")
      .flatMap(parseLine)
      .filter((line) => line.writer !== name && line.object === object)
      .filter(({ writer, writerEngine }) => writerEngine === engineName || isAlive(writer));
  };
  return {
    announceKept: (object, addresses) => write("+", object, addresses),
    withdraw: (object, addresses) => write("-", object, addresses),
    isKept(object, addresses) {
      const kept = new Map<string, boolean>();
      for (const { writer, sign, words } of linesOn(object)) {
        const isSame = words.length === 0 || addresses.length === 0 || words.some((one) => addresses.includes(one));
        if (KEPT.includes(sign) && isSame) kept.set(writer, sign === "+");
      }
      return [...kept.values()].includes(true);
    },
    announceAdoption: (object, by) => write(ADOPTION, object, by === undefined ? [] : [by]),
    adopterOf: (object) => linesOn(object).findLast(({ sign }) => sign === ADOPTION)?.words[0],
    announceProtection: (object, protection) => write(PROTECTION, object, [protection]),
    protectionOf(object) {
      const told = linesOn(object).findLast(({ sign }) => sign === PROTECTION);
      return PROTECTIONS.find((one) => one === told?.words[0]);
    },
  };
}

function createNames({ isAlive = isRunning, startOf = (pid) => statOf(pid)?.start }: Options) {
  const nameOf = (pid: number): string => `${pid}@${startOf(pid) ?? ""}`;
  return {
    nameOf,
    isAlive: (name: string): boolean => {
      const pid = Number.parseInt(name, 10);
      return isAlive(pid) && nameOf(pid) === name;
    },
  };
}

function defaultFolder(): string {
  const owner = process.getuid?.() ?? attempt(() => userInfo().username) ?? "user";
  return path.join(tmpdir(), `pulumi-dbcloud-${owner}`);
}

/** Nothing here may ever fail a handler. Without the file, the processes do not know of each other. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function prepare(folder: string): boolean {
  attempt(() => mkdirSync(folder, { mode: 0o700 }));
  if (!isPrivate(folder)) return false;
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const old = path.join(folder, name);
    attempt(() => {
      if (systemWallClock.epochMs() - statSync(old).mtimeMs > OLDEST_FILE_MS) rmSync(old);
    });
  }
  return true;
}

/** Whether only this user can write there. Windows has no such bits, and has a temporary folder for each user. */
function isPrivate(folder: string): boolean {
  const found = attempt(() => lstatSync(folder));
  if (found?.isDirectory() !== true) return false;
  const mine = process.getuid?.();
  return mine === undefined || (found.uid === mine && (found.mode & 0o022) === 0);
}

interface Line {
  writer: string;
  writerEngine: string;
  sign: string;
  object: string;
  words: string[];
}

function parseLine(line: string): Line[] {
  const parsed: unknown = attempt(() => JSON.parse(line) as unknown);
  if (!Array.isArray(parsed)) return [];
  const [writer, writerEngine, sign, object, ...words] = (parsed as unknown[]).filter(
    (text) => typeof text === "string",
  );
  if (writer === undefined || writerEngine === undefined || sign === undefined || object === undefined) return [];
  return [{ writer, writerEngine, sign, object, words }];
}

function isRunning(pid: number): boolean {
  return attempt(() => process.kill(pid, 0)) === true && !isZombie(pid);
}

/** The process has ended, but its parent has not read the exit status. In a container without an init no parent ever does. */
function isZombie(pid: number): boolean {
  return statOf(pid)?.state === "Z";
}

/** A shell script stands between the engine and this process. */
const MOST_STEPS = 4;

function nearestPulumi(pid: number, steps = MOST_STEPS): number | undefined {
  const stat = steps === 0 ? undefined : statOf(pid);
  if (stat === undefined) return undefined;
  return stat.name === "pulumi" ? pid : nearestPulumi(stat.parent, steps - 1);
}

/** The index of the start time among the fields behind the name. */
const START = 19;

/** The facts that Linux shows about a process; undefined on another system, or if the process is gone. */
function statOf(pid: number): { name: string; state: string; parent: number; start: string | undefined } | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (text === undefined) return undefined;
  // The name may have spaces and brackets.
  const end = text.lastIndexOf(") ");
  const fields = text.slice(end + 2).split(" ");
  const [state = "", parent = ""] = fields;
  return { name: text.slice(text.indexOf("(") + 1, end), state, parent: Number(parent), start: fields[START] };
}
