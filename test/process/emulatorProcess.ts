// An emulator in a process of its own, by the library or by the command, and which processes belong to it.

import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import type { EmulatorOptions, PostgresOption } from "../../emulator/index";
import { postgres } from "../emulator/postgres/support";

export const main = path.resolve("dist", "cli", "main.js");

interface Running {
  child: ChildProcess;
  baseUrl: string;
  apiKey: string;
  projectId: string;
}

export interface Started extends Running {
  /** The folder of its servers. */
  root: string;
}

export interface StartOptions {
  /** Where the package is installed. */
  readonly folder?: string;
  readonly postgres?: PostgresOption;
  readonly data?: string;
  readonly node?: string;
  readonly spawn?: SpawnOptions;
}

const program = (folder: string, options: EmulatorOptions): string => `
  const { createEmulator } = require(${JSON.stringify(path.join(folder, "dist", "emulator", "index.js"))});
  void createEmulator(${JSON.stringify(options)}).then((emulator) => {
    const { baseUrl, apiKey, projectId, caFile } = emulator;
    process.stdout.write(JSON.stringify({ baseUrl, apiKey, projectId, root: require("node:path").dirname(caFile) }) + "\\n");
    process.once("SIGTERM", () => void emulator.close());
  });`;

/** SIGTERM closes it. */
export async function startEmulator(options: StartOptions = {}): Promise<Started> {
  const { folder = path.resolve("."), postgres: option = postgres, node = process.execPath } = options;
  const emulatorOptions = { postgres: option, ...(options.data !== undefined && { data: options.data }) };
  const child = spawn(node, ["-e", program(folder, emulatorOptions)], {
    ...options.spawn,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    child.once("close", () => reject(new Error("the emulator did not start")));
  });
  return { child, ...(JSON.parse(line) as Omit<Started, "child">) };
}

/** The command, once it is ready, and what it has said so far. */
export async function startCommand(args: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(process.execPath, [main, "emulator", "--port", "0", ...args], {
    ...options,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
  await expect.poll(() => text, { timeout: 60_000 }).toContain("Ctrl-C");
  const exported = (name: string): string => new RegExp(`export DBCLOUD_${name}=(\\S+)`).exec(text)?.[1] ?? "";
  const [baseUrl = "", apiKey = "", projectId = ""] = ["BASE_URL", "API_KEY", "PROJECT_ID"].map(exported);
  return { child, baseUrl, apiKey, projectId, said: () => text };
}

export const servicesOf = ({ projectId }: Running): string => `/projects/${projectId}/services`;

/** Ends it as `kill -9` does. */
export async function killed({ child }: Running): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Processes that work below the folder, or were started for it. */
export function processesOf(root: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return text.includes(root) || readlinkSync(`/proc/${pid}/cwd`).startsWith(root);
      } catch {
        return false; // It has ended.
      }
    })
    .map(Number);
}

/** Those of them that are PostgreSQL. */
export function serversOf(root: string): number[] {
  return processesOf(root).filter((pid) => {
    try {
      return path.basename(readlinkSync(`/proc/${pid}/exe`)).startsWith("postgres");
    } catch {
      return false;
    }
  });
}
