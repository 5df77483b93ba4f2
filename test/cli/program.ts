// The command line within a test: the same code as the installed command, with its own environment, folder and ends.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import type { Io } from "../../cli/command";
import { runProgram } from "../../cli/program";

export interface Ended {
  code: number;
  out: string;
  error: string;
}

export interface CommandLine {
  readonly emulator: Emulator;
  readonly folder: string;
  run(args: readonly string[], changes?: Changes): Promise<Ended>;
  close(): Promise<void>;
}

export interface Changes {
  environment?: Record<string, string>;
  signal?: AbortSignal;
  onOut?: (text: string) => void;
  parts?: Io["clientParts"];
}

/** Runs commands in a folder, against an emulator. `parts`: a clock and a transport for the client. */
export const commandLineIn =
  (emulator: Emulator, folder: string, usual: Record<string, string> = {}): CommandLine["run"] =>
  async (args, { environment = {}, signal, onOut, parts } = {}) => {
    const ended: Ended = { code: 0, out: "", error: "" };
    ended.code = await runProgram(args, {
      out: (text) => {
        ended.out += text;
        onOut?.(text);
      },
      error: (text) => {
        ended.error += text;
      },
      cwd: folder,
      environment: {
        DBCLOUD_BASE_URL: emulator.baseUrl,
        DBCLOUD_API_KEY: emulator.apiKey,
        DBCLOUD_MAX_REQUESTS_PER_SECOND: "100000",
        ...usual,
        ...environment,
      },
      ...(parts && { clientParts: parts }),
      ...(signal && { signal }),
    });
    return ended;
  };

export async function openCommandLine(options: EmulatorOptions = {}): Promise<CommandLine> {
  const emulator = await createEmulator({ seed: 1, ...options });
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-cli-"));
  return {
    emulator,
    folder,
    run: commandLineIn(emulator, folder, { DBCLOUD_PROJECT_ID: emulator.projectId }),
    async close() {
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
