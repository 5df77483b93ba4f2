// The command line within a test: the same code as the installed command, with its own environment, folder and ends.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import { runProgram } from "../../cli/program";

export interface Ended {
  code: number;
  out: string;
  error: string;
}

export interface CommandLine {
  readonly emulator: Emulator;
  readonly folder: string;
  readonly environment: Record<string, string>;
  run(args: readonly string[], changes?: Changes): Promise<Ended>;
  close(): Promise<void>;
}

export interface Changes {
  environment?: Record<string, string>;
  signal?: AbortSignal;
  onOut?: (text: string) => void;
}

export async function openCommandLine(options: EmulatorOptions = {}): Promise<CommandLine> {
  const emulator = await createEmulator({ seed: 1, ...options });
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-cli-"));
  const environment = {
    DBCLOUD_BASE_URL: emulator.baseUrl,
    DBCLOUD_API_KEY: emulator.apiKey,
    DBCLOUD_PROJECT_ID: emulator.projectId,
    DBCLOUD_MAX_REQUESTS_PER_SECOND: "10000",
  };
  return {
    emulator,
    folder,
    environment,
    async run(args, { environment: others = {}, signal, onOut } = {}) {
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
        environment: { ...environment, ...others },
        ...(signal === undefined ? {} : { signal }),
      });
      return ended;
    },
    async close() {
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
