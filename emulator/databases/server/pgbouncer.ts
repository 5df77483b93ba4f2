// A pooler in front of a server: pgbouncer, if this machine has it. It reads the password verifiers from the server, so
// that it knows every user, and a new password at once.

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { openFolder, privateFile } from "../install/account";
import type { Binaries } from "../install/binaries";
import { launch, run } from "../install/run";
import { settingsFile } from "../install/runFolder";
import { database } from "./cluster";
import type { Listener, ListenerOptions } from "./proxy";
import { PortInUse, type ServerResources } from "./server";

const folders = (): string[] => [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];

/** The program, if there is one that runs. */
export async function findPgbouncer({ account }: Binaries): Promise<string | undefined> {
  const files = folders().map((folder) => path.join(folder, "pgbouncer"));
  const file = files.find((candidate) => path.isAbsolute(candidate) && existsSync(candidate));
  if (file === undefined) return undefined;
  const said = await run({ account }, file, ["--version"]).catch(() => "");
  return said.includes("PgBouncer") ? file : undefined;
}

/** Resolves when it listens. Its folder is made in that of the settings, and removed with it. */
export async function openPgbouncer(
  program: string,
  { binaries, settings }: Pick<ServerResources, "binaries" | "settings">,
  options: ListenerOptions,
): Promise<Listener> {
  const folder = path.join(settings, `pooler-${options.port}`);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  remove();
  mkdirSync(folder);
  openFolder(folder);
  const child = launch({ ...binaries, libraryPath: undefined }, program, [writeFiles(folder, binaries, options)]);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  child.stdout.resume();
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
      remove();
    },
  };
}

/**
 * Its configuration file, which has no quoting: the certificate, which may be below a folder that the user named, is
 * copied to a plain path.
 */
function writeFiles(folder: string, { account }: Binaries, options: ListenerOptions): string {
  const place = { settings: folder };
  const certificate = settingsFile(place, "server.pem", readFileSync(options.certificate.file, "utf8"));
  const key = path.join(folder, "server.key");
  privateFile(account, key, readFileSync(options.certificate.key, "utf8"));
  const rules = settingsFile(place, "rules", clientRules);
  return settingsFile(place, "pgbouncer.ini", configurationOf(options, { certificate, key, rules }));
}

/** It reads the verifiers as the superuser; no client gets a connection of that user. */
const clientRules = "hostssl all postgres 127.0.0.1/32 reject\nhostssl all all 127.0.0.1/32 scram-sha-256\n";

/** The owner of a database may set its search path, and must not choose what the superuser calls. */
const verifierQuery =
  "SELECT rolname, rolpassword FROM pg_catalog.pg_authid WHERE rolname OPERATOR(pg_catalog.=) $1 AND rolcanlogin";

function configurationOf(
  { port, targets }: ListenerOptions,
  files: { certificate: string; key: string; rules: string },
): string {
  const [{ socket } = { socket: "" }] = targets;
  const server = `host=${path.dirname(socket)} port=${path.extname(socket).slice(1)}`;
  return [
    "[databases]",
    `${database} = ${server} dbname=${database} pool_mode=session`,
    `${database}_transaction = ${server} dbname=${database} pool_mode=transaction`,
    `* = ${server} pool_mode=session`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = hba",
    `auth_hba_file = ${files.rules}`,
    "auth_user = postgres",
    `auth_query = ${verifierQuery}`,
    "client_tls_sslmode = require",
    `client_tls_key_file = ${files.key}`,
    `client_tls_cert_file = ${files.certificate}`,
    "max_client_conn = 500",
    "default_pool_size = 10",
    // A database that is gone, and a client that does not log in, are told soon.
    "query_wait_timeout = 10",
    "server_connect_timeout = 5",
    "server_login_retry = 1",
    "client_login_timeout = 10",
    "ignore_startup_parameters = extra_float_digits,options",
    "",
  ].join("\n");
}
