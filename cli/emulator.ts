// `pulumi-dbcloud emulator`: hands over to the emulator, which reads its own arguments.
// The emulator is sealed: neither `provider/` nor `cli/` imports it, not even its types. This command finds it by its place
// in the installed package, when it is called; the subpath `pulumi-dbcloud/emulator` is for programs and has no command.

import path from "node:path";
import { pathToFileURL } from "node:url";
import { startInBackground, stopBackground } from "./background";
import type { Command, Io } from "./command";

interface EmulatorModule {
  emulatorCommand: (argv: string[], io: Pick<Io, "out" | "error" | "signal">) => Promise<number>;
}

export const emulator: Command = {
  async run(argv, io) {
    const others = (flag: string): string[] => argv.filter((word) => word !== flag);
    if (argv.includes("--help") || argv.includes("-h")) return here(["--help"], io);
    if (argv.includes("--stop")) return stopBackground(others("--stop"), io);
    return argv.includes("--background") ? startInBackground(others("--background"), io) : here(argv, io);
  },
};

async function here(argv: readonly string[], { out, error, signal }: Io): Promise<number> {
  const file = path.join(__dirname, "../emulator/command.js");
  const { emulatorCommand } = (await import(pathToFileURL(file).href)) as EmulatorModule;
  // The emulator's own lines come without their ends.
  const lines = { out: (line: string) => out(`${line}\n`), error: (line: string) => error(`${line}\n`) };
  return emulatorCommand([...argv], { ...lines, ...(signal === undefined ? {} : { signal }) });
}
