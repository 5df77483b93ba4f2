// The emulator as a process that goes on after the command: `emulator --background` starts one for the current folder and
// prints the variables that point a shell at it; `emulator --stop` ends it. A file in the folder names the process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fstatSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Io, UsageError } from "./command";
import { codesOf } from "../provider/api/systemCodes";
import { ProviderError } from "../provider/domain/errors";

const STATE_FILE = ".dbcloud-emulator.json";
const LOG_FILE = ".dbcloud-emulator.log";

/** Its keys are secrets, so both files belong to the user alone. */
const PRIVATE = 0o600;
const PAUSE_MS = 20;
const STOP_LIMIT_MS = 30_000;

const WITHOUT_DATABASES =
  "No database answers at the addresses of the services. Once PostgreSQL is installed, run `pulumi destroy`, stop the emulator and start it again.\n";

interface Running {
  /** Its pid, and when it began. */
  process: string;
  /** The variables that it printed. */
  variables: Record<string, string>;
}

type Console = Pick<Io, "out" | "error" | "cwd">;

/** How the emulator tells a process from a later one with its pid. */
export interface Processes {
  ownerText: (pid: number) => string;
  livingOwner: (text: string) => number | undefined;
}

/** `argv`: the options of the emulator. */
export async function startInBackground(argv: readonly string[], io: Console, processes: Processes): Promise<number> {
  const isJson = argv.includes("--json");
  const known = await running(io.cwd, processes);
  if (known !== undefined) {
    io.error(
      `the emulator of this folder is running already, as process ${known.pid}, with the options that it was started with\n`,
    );
    return print(known, isJson, io);
  }
  const [log, state] = [path.join(io.cwd, LOG_FILE), path.join(io.cwd, STATE_FILE)];
  for (const old of [log, state]) rmSync(old, { force: true });
  const file = openSync(log, "ax+", PRIVATE);
  const options = argv.filter((word) => word !== "--json");
  const hasPort = options.some((word) => /^--port(=|$)/.test(word));
  const args = [path.join(__dirname, "main.js"), "emulator", ...(hasPort ? [] : ["--port", "0"]), ...options];
  const child = spawn(process.execPath, args, { cwd: io.cwd, detached: true, stdio: ["ignore", file, file] });
  let failure: Error | undefined;
  child.once("error", (error) => (failure = error));
  child.unref();
  for (;;) {
    const text = written(file);
    if (text.includes("stop it with Ctrl-C") && child.pid !== undefined) {
      const started = { process: processes.ownerText(child.pid), variables: variablesIn(text) };
      try {
        writeFileSync(state, `${JSON.stringify(started)}\n`, { mode: PRIVATE, flag: "wx" });
      } catch (error) {
        child.kill();
        if (!codesOf(error).includes("EEXIST")) throw error;
        // Another start in this folder was faster.
        return startInBackground(argv, io, processes);
      }
      const [endpoints = ""] = /^endpoints: .*\nconsole: .*$/m.exec(text) ?? [];
      io.error(`${endpoints}\n`);
      if (endpoints.includes("nothing listens")) io.error(WITHOUT_DATABASES);
      io.error(
        `the emulator runs as process ${child.pid}; stop it from this folder with: npx pulumi-dbcloud emulator --stop\n`,
      );
      return print(started, isJson, io);
    }
    if (failure !== undefined || child.exitCode !== null || child.signalCode !== null) {
      if (failure !== undefined) throw failure;
      io.error(text);
      if (!isJson) io.out("false\n");
      return 1;
    }
    await pause(PAUSE_MS);
  }
}

/** By the descriptor: another start in this folder puts a log of its own in the place of this one. */
function written(file: number): string {
  const text = Buffer.alloc(fstatSync(file).size);
  readSync(file, text, 0, text.length, 0);
  return text.toString();
}

export async function stopBackground(argv: readonly string[], io: Console, processes: Processes): Promise<number> {
  if (argv.length > 0) throw new UsageError(`--stop takes no other argument, not ${argv.join(" ")}`);
  const known = await running(io.cwd, processes);
  if (known === undefined) {
    io.error("no emulator was started in this folder with --background, or it has ended\n");
    return 1;
  }
  process.kill(known.pid, "SIGTERM");
  for (let waitedMs = 0; processes.livingOwner(known.process) !== undefined; waitedMs += PAUSE_MS) {
    if (waitedMs > STOP_LIMIT_MS)
      throw new ProviderError(
        "WAIT",
        "emulator-not-ended",
        `process ${known.pid} is still running after 30 s`,
        "End it by that id.",
      );
    await pause(PAUSE_MS);
  }
  rmSync(path.join(io.cwd, STATE_FILE), { force: true });
  io.error(`the emulator of this folder has ended; it was process ${known.pid}\n`);
  return 0;
}

/**
 * The emulator of the folder. It may be too busy to answer, and still has its data folder, so a connection is enough. Its
 * process alone is not: Windows does not say when a process began, and another one may have its pid by now.
 */
async function running(folder: string, processes: Processes): Promise<(Running & { pid: number }) | undefined> {
  try {
    const known = JSON.parse(readFileSync(path.join(folder, STATE_FILE), "utf8")) as Running;
    const pid = processes.livingOwner(known.process);
    return pid !== undefined && (await listens(known.variables)) ? { ...known, pid } : undefined;
  } catch {
    return undefined;
  }
}

async function listens({ DBCLOUD_BASE_URL: address = "" }: Running["variables"]): Promise<boolean> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}

/** The words of the shell are one quoted text each. */
function variablesIn(log: string): Running["variables"] {
  const lines = [...log.matchAll(/^ +export (\w+)=(.*)$/gm)];
  return Object.fromEntries(
    lines.map(([, name = "", word = ""]) => [name, word.replaceAll(/^'|'$/g, "").replaceAll(String.raw`'\''`, "'")]),
  );
}

function print({ variables }: Running, isJson: boolean, io: Console): number {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  io.out(isJson ? `${JSON.stringify(variables, undefined, 2)}\n` : lines.join(""));
  return 0;
}
