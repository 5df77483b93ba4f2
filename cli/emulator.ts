// `pulumi-dbcloud emulator`: hands over to the emulator, which reads its own arguments.
// The emulator is sealed: neither `provider/` nor `cli/` imports it, not even its types. This command finds it by its place
// in the installed package, when it is called; the subpath `pulumi-dbcloud/emulator` is for programs and has no command.

import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Processes, startInBackground, stopBackground } from "./background";
import type { Command, Io } from "./command";

interface EmulatorModule extends Processes {
  emulatorCommand: (argv: string[], io: Pick<Io, "out" | "error" | "signal">) => Promise<void>;
}

export const emulator: Command = {
  // `eval` has the exit code of what it reads.
  failure: (argv) => (argv.includes("--background") && !argv.includes("--json") ? "false\n" : ""),

  async run(argv, io) {
    const file = path.join(__dirname, "../emulator/command.js");
    const emulatorModule = (await import(pathToFileURL(file).href)) as EmulatorModule;
    const isHelp = argv.includes("--help") || argv.includes("-h");
    const others = (flag: string): string[] => argv.filter((word) => word !== flag);
    if (!isHelp && argv.includes("--stop")) return stopBackground(others("--stop"), io, emulatorModule);
    if (!isHelp && argv.includes("--background")) return startInBackground(others("--background"), io, emulatorModule);
    // The emulator's own lines come without their ends.
    const lines = { out: (line: string) => io.out(`${line}\n`), error: (line: string) => io.error(`${line}\n`) };
    await emulatorModule.emulatorCommand(isHelp ? ["--help"] : [...argv], { ...io, ...lines });
    return 0;
  },
};
