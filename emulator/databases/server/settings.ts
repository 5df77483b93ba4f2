// The configuration of one server in PostgreSQL's format. The size of a service decides memory settings and the number
// of connections; neither CPU nor memory is limited.

import { linePrefix } from "./serverLog";

export interface ServerSettings {
  /** Undefined: the server listens on its socket only. */
  readonly port: number | undefined;
  readonly memoryGbs: number | undefined;
  /** For a standby: the socket folder and port of its primary, and its own name on the primary. */
  readonly upstream?: { readonly sockets: string; readonly port: number; readonly name: string } | undefined;
  /** Only while a copy is recovered to a moment of its source. "end": all WAL there is. */
  readonly recoverUntil?: string | undefined;
  readonly preload?: readonly string[] | undefined;
}

export interface ServerPlace {
  readonly major: number;
  readonly sockets: string;
  /** Begins the lines of the log. */
  readonly mark: string;
  /** Libraries of every server. */
  readonly preload: readonly string[];
  readonly certificate: { readonly file: string; readonly key: string };
  /** The files with `hostRules` and `userRules`. */
  readonly rules: { readonly hosts: string; readonly users: string };
}

/** The number in the name of its socket. */
export const socketPort = ({ port }: ServerSettings): number => port ?? 5432;

/** A standby must allow as many connections as its primary ever did. */
const mostConnections = 200;

/**
 * Connections that have not logged in take the places of those that have. A limit of the tenant's database keeps these
 * at the number of the service's size.
 */
const beforeLogin = 200;

export function connectionsFor(memoryGbs: number | undefined): number {
  if (memoryGbs === undefined) return 25;
  return Math.min(mostConnections, Math.max(50, memoryGbs * 25));
}

function sharedBuffersMb(memoryGbs = 1): number {
  return Math.min(64, Math.max(8, memoryGbs * 4));
}

/** Speed over safety: committed data survive the end of every process, but not of the machine. */
const everyServer = {
  fsync: "off",
  full_page_writes: "off",
  wal_level: "replica",
  min_wal_size: "5MB",
  max_wal_senders: 30,
  wal_retrieve_retry_interval: "100ms",
  max_logical_replication_workers: 0,
  jit: "off",
  password_encryption: "scram-sha-256",
  dynamic_shared_memory_type: "mmap",
  lc_messages: "C",
  timezone: "UTC",
  log_timezone: "UTC",
  log_destination: "stderr",
  logging_collector: "off",
  log_checkpoints: "off",
  ssl: "on",
  // A client that does not log in soon leaves room for others.
  authentication_timeout: "10s",
};

export function configuration(settings: ServerSettings, place: ServerPlace): string {
  const { upstream, recoverUntil, memoryGbs } = settings;
  const rows: Record<string, string | number> = {
    ...everyServer,
    ...(place.major >= 18 ? { io_method: "sync" } : {}),
    log_line_prefix: linePrefix(place.mark),
    hba_file: place.rules.hosts,
    ident_file: place.rules.users,
    listen_addresses: settings.port === undefined ? "" : "127.0.0.1",
    port: socketPort(settings),
    // Forks and standbys are made of all WAL since the prepared cluster, and nothing of that of a standby.
    wal_keep_size: upstream ? 0 : "1TB",
    unix_socket_directories: place.sockets,
    shared_buffers: `${sharedBuffersMb(memoryGbs)}MB`,
    max_connections: (upstream ? mostConnections : connectionsFor(memoryGbs)) + beforeLogin,
    ssl_cert_file: place.certificate.file,
    ssl_key_file: place.certificate.key,
  };
  rows["shared_preload_libraries"] = [...(settings.preload ?? []), ...place.preload].join(",");
  if (upstream) {
    rows["primary_conninfo"] =
      `host=${upstream.sockets} port=${upstream.port} user=postgres application_name=${upstream.name}`;
  }
  if (recoverUntil !== undefined) {
    // All WAL is in the folder of the server; there is no archive to read.
    Object.assign(rows, { restore_command: "false", recovery_target_action: "promote", hot_standby: "off" });
    if (recoverUntil !== "end") rows["recovery_target_time"] = recoverUntil;
  }
  return `${Object.entries(rows)
    .map(([name, value]) => `${name} = ${quotedValue(String(value))}`)
    .join("\n")}\n`;
}

const escapes: Readonly<Record<string, string>> = { "'": "''", "\\": "\\\\", "\n": "\\n", "\r": "\\r" };

/** A value is one line, and a backslash in it begins an escape. Paths may contain any character. */
const quotedValue = (value: string): string =>
  `'${value.replaceAll(/['\\\n\r]/g, (found) => escapes[found] ?? found)}'`;

/**
 * The superuser and the replication connect only over the socket, and only from processes of the emulator's and the
 * servers' account. Everybody else needs a password and TLS.
 */
export const hostRules = [
  "local all,replication postgres peer map=emulator",
  "hostssl all postgres all reject",
  "hostssl all all 127.0.0.1/32 scram-sha-256",
  "",
].join("\n");

export const userRules = (names: readonly string[]): string =>
  names.map((name) => `emulator "${name.replaceAll('"', '""')}" postgres\n`).join("");
