// `pulumi-dbcloud emulator`: hands over to the emulator, which reads its own arguments.
// The emulator is sealed: neither `provider/` nor `cli/` imports it, not even its types. This command finds it by its place
// in the installed package, when it is called; the subpath `pulumi-dbcloud/emulator` is for programs and has no command.

import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Command, Io } from "./command";

interface EmulatorModule {
  emulatorCommand: (argv: string[], io: LineIo) => Promise<number>;
}

interface LineIo {
  out: (line: string) => void;
  error: (line: string) => void;
  signal?: AbortSignal;
}

export const emulator: Command = {
  async run(argv, io) {
    const file = path.join(__dirname, "../emulator/command.js");
    const { emulatorCommand } = (await import(pathToFileURL(file).href)) as EmulatorModule;
    return emulatorCommand([...argv], inLines(io));
  },
};

function inLines({ out, error, signal }: Io): LineIo {
  return {
    out: (line) => out(`${line}\n`),
    error: (line) => error(`${line}\n`),
    ...(signal === undefined ? {} : { signal }),
  };
}
