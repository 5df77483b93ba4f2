// The command `pulumi-dbcloud emulator --port 8787`. Prints its address and the variables that point a program at it,
// then a line per request; ends at SIGINT or SIGTERM.

import { once } from "node:events";
import { createEmulator, type Emulator } from "./index";
import type { PostgresState, RequestRecord } from "./index";
import { codeOf } from "./errors";
import { defaultPort, optionsFrom, usage } from "./commandOptions";

// For `--background`, and for the set-up of this repository, which asks the build.
export { livingOwner, ownerText } from "./ownerProcess";
export { serverAccount } from "./databases/install/account";
export { findBinaries } from "./databases/install/binaries";

/** Where the command writes, and what ends it. */
interface CommandIo {
  out(line: string): void;
  /** Ends the command when aborted, as SIGINT and SIGTERM do. */
  signal?: AbortSignal;
}

/** Runs until a signal comes. Rejects for wrong arguments, or if it cannot listen. */
export async function emulatorCommand(argv: string[], io: CommandIo): Promise<void> {
  const asked = optionsFrom(argv);
  if (!asked) return io.out(usage);
  const { options, isQuiet } = asked;
  const emulator = await createEmulator(options).catch((error: unknown) => {
    throw withRemedy(error, options.port);
  });
  if (!isQuiet) emulator.watchRequests((request) => io.out(requestLine(request)));
  for (const line of readyLines(emulator, options.data)) io.out(line);
  await endSignal(io.signal);
  await emulator.close();
  io.out("emulator ended");
}

/** File operations have the same error codes: only a failed `listen` is about the port. */
export function withRemedy(error: unknown, port = defaultPort): unknown {
  if (!(error instanceof Error && "syscall" in error && error.syscall === "listen")) return error;
  const why = codeOf(error) === "EADDRINUSE" ? "is in use" : "cannot be used";
  return new Error(
    `port ${port} ${why} (${codeOf(error)}): use another one with --port PORT, or a free one with --port 0`,
  );
}

function readyLines(emulator: Emulator, data: string | undefined): string[] {
  return [
    `emulator ready at ${emulator.baseUrl}`,
    `endpoints: ${endpointsLine(emulator.state().postgres)}`,
    `console: ${emulator.consoleUrl}`,
    "",
    "  point a program or the command line at it:",
    `  export DBCLOUD_BASE_URL=${quoted(emulator.baseUrl)}`,
    `  export DBCLOUD_API_KEY=${quoted(emulator.apiKey)}`,
    `  export DBCLOUD_PROJECT_ID=${quoted(emulator.projectId)}`,
    "",
    "  inspect and change it through its admin API, in any language:",
    `  export DBCLOUD_EMULATOR_ADMIN_URL=${quoted(emulator.adminUrl)}`,
    `  export DBCLOUD_EMULATOR_ADMIN_KEY=${quoted(emulator.adminKey)}`,
    ...certificateLines(emulator.caFile),
    "",
    `  stop it with Ctrl-C; ${data === undefined ? "nothing is kept" : `everything is kept in ${data}`}`,
    "",
  ];
}

/** One line for people about what runs behind the endpoints. */
function endpointsLine(postgres: PostgresState): string {
  if (postgres.kind === "off")
    return `nothing listens${postgres.missing === undefined ? "" : ` (${postgres.missing})`}`;
  const { version, source, caFile } = postgres;
  return `PostgreSQL ${version} (${source}), CA certificate ${caFile}`;
}

function certificateLines(caFile: string | undefined): string[] {
  if (caFile === undefined) return [];
  const words = "  its certificate, for NODE_EXTRA_CA_CERTS and PGSSLROOTCERT:";
  return ["", words, `  export DBCLOUD_EMULATOR_CA_FILE=${quoted(caFile)}`];
}

/** Quotes a text as one word of a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

function requestLine({ method, path, status, operation, refusal, fault }: RequestRecord): string {
  const words = [method.padEnd(6), path, status ?? "no answer", operation ?? "-", refusal, fault && `fault:${fault}`];
  // Of a terminal, some characters move the cursor.
  return words
    .filter(Boolean)
    .join(" ")
    .replaceAll(/\p{Cc}/gu, "?");
}

/** Waits for SIGINT, SIGTERM or the caller's signal, then removes its own listeners. */
async function endSignal(given: AbortSignal | undefined): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ...(given ? [given] : [])]);
  const ends = ["SIGINT", "SIGTERM"].map((name) => once(process, name, { signal }).catch(() => undefined));
  await Promise.race(ends);
  over.abort();
}
