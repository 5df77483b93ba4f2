// A pooler in front of a server: pgbouncer, if this machine has it. It reads the password verifiers from the server, so
// that it knows every user, and a new password at once.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { privateFile, privateFolder } from "../install/account";
import type { Binaries } from "../install/binaries";
import { run, spawnOptions } from "../install/run";
import { database } from "./cluster";
import type { Listener, ListenerOptions } from "./proxy";
import { PortInUse } from "./server";

const folders = (): string[] => [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];

/** The program, if there is one that runs. */
export async function findPgbouncer({ account }: Binaries): Promise<string | undefined> {
  const files = folders().map((folder) => path.join(folder, "pgbouncer"));
  const file = files.find((candidate) => path.isAbsolute(candidate) && existsSync(candidate));
  if (file === undefined) return undefined;
  const said = await run({ account, libraryPath: undefined }, file, ["--version"], { cwd: "/" }).catch(() => "");
  return said.includes("PgBouncer") ? file : undefined;
}

export interface PgbouncerPlace {
  readonly program: string;
  readonly binaries: Binaries;
  /** The folder of its configuration, removed with it. */
  readonly folder: string;
}

/** Resolves when it listens. */
export async function openPgbouncer(place: PgbouncerPlace, options: ListenerOptions): Promise<Listener> {
  const { program, binaries, folder } = place;
  rmSync(folder, { recursive: true, force: true });
  privateFolder(binaries.account, folder);
  const file = path.join(folder, "pgbouncer.ini");
  privateFile(binaries.account, file, configurationOf(options, certificateIn(folder, binaries, options)));
  const child = spawn(program, [file], {
    ...spawnOptions({ account: binaries.account, libraryPath: undefined }, folder),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
      if (said.includes("process up:")) resolve();
    });
    child.once("error", reject);
    child.once("close", () => reject(said.includes("in use") ? new PortInUse(said) : new Error(`pgbouncer: ${said}`)));
  });
  let isClosing = false;
  void ended.then(() => (isClosing ? undefined : options.exited?.()));
  return {
    async close() {
      isClosing = true;
      // It has no state to lose; newer versions would wait for their clients on another signal.
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Its configuration file has no quoting: files below a folder that the user named are copied to a plain path. */
function certificateIn(folder: string, { account }: Binaries, { certificates }: ListenerOptions) {
  const files = { certificate: path.join(folder, "server.pem"), key: path.join(folder, "server.key") };
  privateFile(account, files.certificate, readFileSync(certificates.certificate, "utf8"));
  privateFile(account, files.key, readFileSync(certificates.key, "utf8"));
  return files;
}

function configurationOf({ port, targets }: ListenerOptions, files: { certificate: string; key: string }): string {
  const [target = ""] = targets;
  const server = `host=${path.dirname(target)} port=${path.extname(target).slice(1)}`;
  return [
    "[databases]",
    `${database} = ${server} dbname=${database} pool_mode=session`,
    `${database}_transaction = ${server} dbname=${database} pool_mode=transaction`,
    `* = ${server} pool_mode=session`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    "auth_user = postgres",
    "client_tls_sslmode = require",
    `client_tls_key_file = ${files.key}`,
    `client_tls_cert_file = ${files.certificate}`,
    "max_client_conn = 500",
    "default_pool_size = 10",
    "ignore_startup_parameters = extra_float_digits,options",
    "",
  ].join("\n");
}
