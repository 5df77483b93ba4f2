// The provider processes of one run tell each other which objects their resources keep or are to adopt. Pulumi: each provider
// instance (the default one, an explicit `Provider`) has its own process, and a service that moves to another one by
// `adoptId` has an entry under both. Each process writes a file of its own below Pulumi's folder in the home of the user,
// where nobody else can make one. A file counts while its process is alive, so that those of earlier runs are ignored.

import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { systemWallClock } from "../api/wallClock";
import type { ProcessEnvironment } from "../domain/config/config";
import type { Claim, OtherProcesses } from "../lifecycle/view/runView";

const OLDEST_FILE_MS = 48 * 3_600_000;

interface Options {
  /** The address of the engine, which all processes of a run share. */
  engine: string;
  folder: string;
  pid?: number;
  /** Whether an equal id at another address of the API is the same object. */
  isGlobal: (object: string) => boolean;
}

/** The folder of these files. */
export function runsFolder(environment: ProcessEnvironment): string {
  return path.join(environment["PULUMI_HOME"] || path.join(homedir(), ".pulumi"), "dbcloud", "runs");
}

export function createOtherProcesses({ engine, folder, pid = process.pid, isGlobal }: Options): OtherProcesses {
  const run = `${engine.replaceAll(/[^\w.-]/g, "_")}@`;
  const own = `${run}${pid}@${startOf(pid)}`;
  let isReady = false;
  return {
    announce(object, claim) {
      if (!isGlobal(object)) return true;
      const done = attempt(() => {
        if (!isReady) prepare(folder);
        isReady = true;
        appendFileSync(path.join(folder, own), `${JSON.stringify([object, claim])}\n`, { mode: 0o600 });
        return true;
      });
      return done === true;
    },
    claimOn(object) {
      if (!isGlobal(object)) return undefined;
      const others = (attempt(() => readdirSync(folder)) ?? []).filter(
        (name) => name.startsWith(run) && name !== own && isAlive(name.slice(run.length)),
      );
      const claims = others.flatMap((name) => lastClaim(path.join(folder, name), object) ?? []);
      return claims.find(({ is }) => is === "kept") ?? claims.find(({ is }) => is === "wanted");
    },
  };
}

function lastClaim(file: string, object: string): Claim | undefined {
  const lines = (attempt(() => readFileSync(file, "utf8")) ?? "").split("\n");
  const claims = lines.map((line) => attempt(() => JSON.parse(line) as [string, Claim]));
  return claims.findLast((claim) => claim?.[0] === object)?.[1];
}

function prepare(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const old = path.join(folder, name);
    attempt(() => {
      if (systemWallClock.epochMs() - statSync(old).mtimeMs > OLDEST_FILE_MS) rmSync(old);
    });
  }
}

/** Without the files, the processes do not know of each other. Only an adoption needs that. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** `name`: the process id and its start time. */
function isAlive(name: string): boolean {
  const [pid = "", start = ""] = name.split("@");
  return attempt(() => process.kill(Number(pid), 0)) === true && startOf(Number(pid)) === start;
}

/** Process ids are reused, in containers soon. Linux shows when a process was started: the 20th field after its name. */
function startOf(pid: number): string {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8")) ?? "";
  return text.slice(text.lastIndexOf(") ") + 2).split(" ")[19] ?? "";
}
