// The emulator as a command: `pulumi-dbcloud emulator --port 8787`. Says where it listens and how to point a program at
// it, prints a line per request, and ends at SIGINT or SIGTERM.

import { parseArgs } from "node:util";
import {
  createEmulator,
  watchableTimings,
  type Emulator,
  type EmulatorOptions,
  type Profile,
  type RequestRecord,
  type Timings,
} from "./index";

/** Where the command writes, and what ends it. */
export interface CommandIo {
  out(line: string): void;
  error(line: string): void;
  /** Ends the command when aborted, beside SIGINT and SIGTERM. */
  signal?: AbortSignal;
}

/** No secret: it guards nothing but an emulator on the loopback address. */
const wellKnownKey = "emulator-key";

const defaultPort = 8787;

/** Long enough to be seen: a READY that is not true any more. */
const staleMs = 300;

const usage = `Usage: pulumi-dbcloud emulator [options]

A control plane in memory, on 127.0.0.1, for trying things out and for tests.

  --port PORT            TCP port; 0 takes a free one (default ${defaultPort})
  --profile PROFILE      full (default) or documented: without delete, start, rename and list replica sets
  --api-key KEY          bearer value to accept (default ${wellKnownKey})
  --project ID           id of the project (default proj000001)
  --seed N               ids, hosts and passwords follow from it (default 1)
  --quick                changes take milliseconds instead of seconds
  --timing STEP=MS       duration of one kind of change, or a spread: create=2000-20000 (repeatable)
  --stale-reads N        after each change, show the old values for N more reads (and for 0.3 s unless --quick)
  --rate-limit N         requests per second; more get 429
  --quiet                no line per request
  --help                 this text`;

const flags = {
  port: { type: "string" },
  profile: { type: "string" },
  "api-key": { type: "string" },
  project: { type: "string" },
  seed: { type: "string" },
  quick: { type: "boolean" },
  timing: { type: "string", multiple: true },
  "stale-reads": { type: "string" },
  "rate-limit": { type: "string" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Runs until a signal comes. Resolves with the exit code: 0, 1 when it cannot listen, 2 for wrong arguments. */
export async function emulatorCommand(argv: string[], io: CommandIo): Promise<number> {
  let options: EmulatorOptions | "help";
  try {
    options = optionsFrom(argv, io);
  } catch (error) {
    io.error(`pulumi-dbcloud emulator: ${messageOf(error)}`);
    io.error("Try: pulumi-dbcloud emulator --help");
    return 2;
  }
  if (options === "help") {
    io.out(usage);
    return 0;
  }
  try {
    await run(options, io);
    return 0;
  } catch (error) {
    io.error(`pulumi-dbcloud emulator: ${messageOf(error)}`);
    return 1;
  }
}

async function run(options: EmulatorOptions, io: CommandIo): Promise<void> {
  const emulator = await createEmulator(options);
  for (const line of readyLines(emulator)) io.out(line);
  await endSignal(io.signal);
  await emulator.close();
  io.out("emulator ended");
}

function optionsFrom(argv: string[], io: CommandIo): EmulatorOptions | "help" {
  const { values } = parseArgs({ args: argv, options: flags, strict: true });
  if (values.help) return "help";
  const options: EmulatorOptions = {
    port: wholeNumber("--port", values.port, defaultPort),
    profile: profileFrom(values.profile),
    apiKey: values["api-key"] ?? wellKnownKey,
    seed: wholeNumber("--seed", values.seed, 1),
    timings: { ...(values.quick ? {} : watchableTimings), ...timingsFrom(values.timing ?? []) },
    stale: { ms: values.quick ? 0 : staleMs, reads: wholeNumber("--stale-reads", values["stale-reads"], 0) },
  };
  if (values.project !== undefined) options.projectId = values.project;
  if (values["rate-limit"] !== undefined) {
    options.rateLimit = { perSecond: wholeNumber("--rate-limit", values["rate-limit"], 0), retryAfterSeconds: 1 };
  }
  if (!values.quiet) options.onRequest = (request) => io.out(requestLine(request));
  return options;
}

function wholeNumber(flag: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (!/^\d+$/.test(given)) throw new Error(`${flag} wants a whole number, not "${given}"`);
  return Number(given);
}

function profileFrom(given = "full"): Profile {
  if (given === "full" || given === "documented") return given;
  throw new Error(`--profile wants full or documented, not "${given}"`);
}

function timingsFrom(given: readonly string[]): Partial<Timings> {
  const timings: Partial<Timings> = {};
  for (const text of given) {
    const [, step = "", from = "", to] = /^(\w+)=(\d+)(?:-(\d+))?$/.exec(text) ?? [];
    if (!isStep(step))
      throw new Error(`--timing wants STEP=MS or STEP=MS-MS with a STEP of ${steps.join(", ")}; not "${text}"`);
    timings[step] = to === undefined ? Number(from) : [Number(from), Number(to)];
  }
  return timings;
}

const steps = Object.keys(watchableTimings);

const isStep = (word: string): word is keyof Timings => steps.includes(word);

function readyLines(emulator: Emulator): string[] {
  return [
    `emulator ready at ${emulator.baseUrl}`,
    "",
    "  point a program or the command line at it:",
    `  export DBCLOUD_BASE_URL=${emulator.baseUrl}`,
    `  export DBCLOUD_API_KEY=${emulator.apiKey}`,
    `  export DBCLOUD_PROJECT_ID=${emulator.projectId}`,
    "",
    "  end it with Ctrl-C; nothing is kept",
    "",
  ];
}

function requestLine(request: RequestRecord): string {
  const status = request.status ?? "no answer";
  const operation = request.operation ?? "-";
  return [request.method.padEnd(6), request.path, status, operation, request.fault && `fault:${request.fault}`]
    .filter(Boolean)
    .join(" ");
}

/** Waits for SIGINT, SIGTERM or the caller's signal, and takes its listeners away again. */
function endSignal(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      process.removeListener("SIGINT", end);
      process.removeListener("SIGTERM", end);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    process.on("SIGINT", end);
    process.on("SIGTERM", end);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function main(): Promise<void> {
  process.exitCode = await emulatorCommand(process.argv.slice(2), {
    out: (line) => void process.stdout.write(`${line}\n`),
    error: (line) => void process.stderr.write(`${line}\n`),
  });
}

if (require.main === module) void main();
