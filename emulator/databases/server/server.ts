// One PostgreSQL server process: started, stopped, and observed by its output and its exit, never by polling.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Binaries } from "../install/binaries";
import { endOf, launch, script } from "../install/run";
import { settingsFile } from "../install/runFolder";
import type { ServerLogEntry } from "../backend";
import { ownDatabase } from "./cluster";
import { LogParser, newMark } from "./serverLog";
import { configuration, socketPort, type ServerPlace, type ServerSettings } from "./settings";
import { sql } from "./sql";

/** What all servers of an emulator share. */
export interface ServerResources {
  readonly binaries: Binaries;
  /** Aborted when the emulator closes: nothing is started after that. */
  readonly closing: AbortSignal;
  /** The folder of this run, for sockets. */
  readonly root: string;
  /** The folder of this run for configuration files. */
  readonly settings: string;
  /** The folder of the data. */
  readonly servers: string;
  /** The folder with an empty file for each server whose data were ever complete: so those that are lost are missed. */
  readonly made: string;
  /** Whether the data outlive the emulator. */
  readonly isKept: boolean;
  readonly certificate: ServerPlace["certificate"];
  readonly rules: ServerPlace["rules"];
  /** Libraries that every server preloads. */
  readonly preload: readonly string[];
  /** The folder of the prepared cluster. */
  readonly prepared: Promise<string>;
}

/** Another process has the port; another port may work. */
export class PortInUse extends Error {
  override readonly name = "PortInUse";
}

type StopSignal = "SIGINT" | "SIGQUIT";

const madeFile = "made-by-emulator";

/** Whether the data in a folder are complete: copied and recovered. */
export const isMade = (data: string): boolean => existsSync(path.join(data, madeFile));

/**
 * What the data folder itself must have at a start: no settings but those that are given, and a mark only for a server
 * that recovers or follows another.
 */
const startScript = `
  umask 077
  mkdir -p "$2"
  cd "$1"
  rm -f postgresql.auto.conf standby.signal recovery.signal
  for file in postgresql.auto.conf $3; do : > "$file"; done`;

/** How long a server may take to end before it is killed. */
const killAfterMs = 10_000;

export class Server {
  readonly data: string;
  readonly sockets: string;
  readonly #resources: ServerResources;
  readonly #name: string;
  readonly #configuration: string;
  readonly #onLog: (entry: ServerLogEntry) => void;
  /** Called when the process ends without a request to stop. */
  readonly #onUnexpectedExit: () => void;
  #child: ChildProcessWithoutNullStreams | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #isLeaving = false;
  #settings: ServerSettings | undefined;
  #written = "";
  /** Begins the lines of its log: no client can guess it. */
  readonly #mark = newMark();

  /** `name` is the name of its folders: short, because socket paths must be short. */
  constructor(
    resources: ServerResources,
    name: string,
    on: { log: (entry: ServerLogEntry) => void; exit: () => void },
  ) {
    this.#resources = resources;
    this.#name = name;
    this.data = path.join(resources.servers, name);
    this.sockets = path.join(resources.root, "sockets", name);
    this.#configuration = path.join(resources.settings, `${name}.conf`);
    this.#onLog = on.log;
    this.#onUnexpectedExit = on.exit;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  get isMade(): boolean {
    return isMade(this.data);
  }

  /** Fills its data folder by `fill`, from the beginning if an earlier attempt was interrupted. */
  async make(fill: () => Promise<void>): Promise<void> {
    const { binaries, made } = this.#resources;
    await script(binaries, 'rm -rf "$1"', this.data);
    await fill();
    await script(binaries, ': > "$1"', path.join(this.data, madeFile));
    writeFileSync(path.join(made, this.#name), "");
  }

  /** The port at which clients reach it; undefined if it listens on its socket only. */
  get port(): number | undefined {
    return this.#settings?.port;
  }

  /** The path of its socket, for the superuser. */
  get socket(): string {
    return path.join(this.sockets, `.s.PGSQL.${this.socketPort}`);
  }

  get socketPort(): number {
    return socketPort(this.#settings ?? { port: undefined, memoryGbs: undefined });
  }

  sql(statement: string): Promise<(string | null)[][]> {
    return sql({ socket: this.socket, database: ownDatabase }, statement);
  }

  /** Makes the server run with these settings: starts, restarts, or does nothing. Resolves after a login. */
  async run(settings: ServerSettings): Promise<void> {
    const { binaries, certificate, rules, preload } = this.#resources;
    const text = configuration(settings, {
      major: binaries.major,
      sockets: this.sockets,
      certificate,
      rules,
      preload,
      mark: this.#mark,
    });
    if (this.isRunning && text === this.#written) return;
    await this.stop();
    settingsFile(this.#resources, path.basename(this.#configuration), text);
    this.#settings = settings;
    this.#written = text;
    await this.#start(settings);
    await this.sql("SELECT 1");
  }

  async stop(signal: StopSignal = "SIGINT"): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#isLeaving = true;
    child.kill(signal);
    const killTimer = setTimeout(() => child.kill(signal === "SIGINT" ? "SIGQUIT" : "SIGKILL"), killAfterMs);
    await this.#ended;
    clearTimeout(killTimer);
  }

  async remove(): Promise<void> {
    await this.stop("SIGQUIT");
    // The mark first: after an interrupted removal the rest of the folder must not count as data.
    rmSync(path.join(this.#resources.made, this.#name), { force: true });
    rmSync(this.#configuration, { force: true });
    const removal = 'rm -f "$1"; rm -rf "$2" "$3" || { sleep 1; rm -rf "$2" "$3"; }';
    await script(this.#resources.binaries, removal, path.join(this.data, madeFile), this.data, this.sockets);
  }

  /** Resolves when it accepts connections; rejects if it ends before that. */
  async #start({ upstream, recoverUntil }: ServerSettings): Promise<void> {
    const { binaries, closing } = this.#resources;
    const mark = upstream ? "standby.signal" : recoverUntil === undefined ? "" : "recovery.signal";
    await script(binaries, startScript, this.data, this.sockets, mark);
    closing.throwIfAborted();
    this.#isLeaving = false;
    const program = path.join(binaries.bin, "postgres");
    const child = launch(binaries, program, ["-D", this.data, "-c", `config_file=${this.#configuration}`]);
    child.stdout.resume();
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", resolve);
      child.once("error", resolve);
    });
    await this.#started(child);
  }

  #started(child: ChildProcessWithoutNullStreams): Promise<void> {
    return new Promise((resolve, reject) => {
      let isReady = false;
      let said = "";
      const log = new LogParser(this.#mark, this.#onLog);
      child.stderr.on("data", (chunk: Buffer) => {
        const text = chunk.toString();
        log.write(text);
        if (isReady) return;
        said += text;
        if (!readyLine.test(said)) return;
        isReady = true;
        said = "";
        resolve();
      });
      // Its children may keep the pipe open after it has ended.
      child.once("exit", () => {
        this.#child = undefined;
        if (isReady && !this.#isLeaving) this.#onUnexpectedExit();
      });
      child.once("close", () => reject(startFailure(said)));
      child.once("error", (error) => {
        this.#child = undefined;
        reject(error);
      });
    });
  }
}

const readyLine = /database system is ready to accept (?:read-only )?connections/;

function startFailure(said: string): Error {
  if (said.includes("could not bind")) return new PortInUse(said.trim());
  return new Error(`PostgreSQL did not start: ${endOf(said.trim())}`);
}
