// Picks the subcommand, and turns whatever it throws into a message with a remedy.

import { VERSION } from "../provider/api/version";
import { nodeProblem } from "../provider/domain/config/nodeVersion";
import { refusalOf, unknownNames, warningsOf } from "../provider/domain/config/unknownNames";
import { printable } from "../provider/domain/values/printable";
import { asUsageError, type Command, type Io, UsageError } from "./command";
import { doctor } from "./doctor";
import { drift } from "./drift/command";
import { emulator } from "./emulator";
import { explaining } from "./explain";
import { importing } from "./import";
import { logs } from "./logs";

export const commands: Readonly<Record<string, Command>> = {
  drift,
  doctor,
  emulator,
  explain: explaining,
  import: importing,
  logs,
};

const usage = `Usage: pulumi-dbcloud COMMAND [options]

  doctor                 check the setup, and say how to fix each problem
  drift                  compare stacks with the cloud, and list objects that no stack manages
  import [OBJECT …]      bring existing objects into a stack: write the import file and the program
  logs SERVICE           print the logs of a service
  explain NAME           explain an error by the name at the end of its message
  emulator               run an emulator of the control plane, for trials and tests

  --help                 show this text; pulumi-dbcloud COMMAND --help shows more
  --version              the version of this package

Configured by DBCLOUD_BASE_URL, DBCLOUD_API_KEY and DBCLOUD_PROJECT_ID.
`;

/** Resolves with the exit code of the command; 1 for invalid arguments, because 2 means drift. Never rejects. */
export async function runProgram(argv: readonly string[], terminal: Io): Promise<number> {
  // All output of commands passes here: control characters in texts of a server never reach the terminal.
  const io: Io = {
    ...terminal,
    out: (text) => terminal.out(printable(text)),
    error: (text) => terminal.error(printable(text)),
  };
  // `help drift` is `drift --help`.
  const [name, ...rest] = argv[0] === "help" && argv[1] !== undefined ? [argv[1], "--help"] : argv;
  if (name === "--version" || name === "-v") return print(io, `${VERSION}\n`);
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    if (name !== undefined) return print(io, usage);
    io.error(usage);
    return 1;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    io.error(`pulumi-dbcloud: there is no command ${JSON.stringify(name)}\nTry: pulumi-dbcloud --help\n`);
    return 1;
  }
  try {
    if (command.usage !== undefined && asksForHelp(rest)) return print(io, command.usage);
    // The doctor lists both among everything else, and an explanation must not need what it explains.
    if (name !== "doctor" && name !== "explain") {
      const problem = nodeProblem(process.versions);
      if (problem !== undefined) throw problem;
      checkVariables(name, io);
    }
    return await command.run(rest, io);
  } catch (caught) {
    const error = asUsageError(caught);
    io.out(command.failure?.(rest, error) ?? "");
    return fail(name, error, io);
  }
}

/** Throws a ConfigError where a variable is a misspelled guard, and warns of other misspelled ones. */
function checkVariables(name: string, { environment, error }: Io): void {
  const unknown = unknownNames(environment);
  const refusal = refusalOf(unknown);
  if (refusal !== undefined) throw refusal;
  for (const text of warningsOf(unknown)) error(`pulumi-dbcloud ${name}: warning: ${text}\n`);
}

function print(io: Io, text: string): number {
  io.out(text);
  return 0;
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => word === "--help" || word === "-h");
}

function fail(name: string, error: unknown, io: Io): number {
  if (error instanceof UsageError) {
    io.error(`pulumi-dbcloud ${name}: ${error.message}\nTry: pulumi-dbcloud ${name} --help\n`);
    return 1;
  }
  // Errors of this package say what happened and what to do; a stack trace would hide that.
  const message =
    error instanceof Error && "fullMessage" in error
      ? String(error.fullMessage)
      : String(error instanceof Error ? error.message : error);
  io.error(`pulumi-dbcloud ${name}: ${message}\n`);
  if (io.environment["DBCLOUD_DEBUG"] === "1" && error instanceof Error) io.error(`${error.stack ?? ""}\n`);
  return 1;
}
