// The command of the emulator as a process of its own, and which processes belong to it.

import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { postgres } from "../emulator/postgres/support";

export const main = path.resolve("dist", "cli", "main.js");

interface StartOptions extends SpawnOptions {
  readonly node?: string;
  /** The command, where another copy of the package is installed. */
  readonly program?: string;
}

export type Running = Awaited<ReturnType<typeof startCommand>>;

/** The command, once it is ready, what it has said so far, and the folder of its servers. */
export async function startCommand(args: readonly string[], options: StartOptions = {}) {
  const { node = process.execPath, program = main, ...more } = options;
  const child = spawn(node, [program, "emulator", "--port", "0", ...args], {
    ...more,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
  await expect.poll(() => text, { interval: 10, timeout: 60_000 }).toContain("Ctrl-C");
  const exported = (name: string): string => new RegExp(`export DBCLOUD_${name}=(\\S+)`).exec(text)?.[1] ?? "";
  const [baseUrl = "", apiKey = "", projectId = ""] = ["BASE_URL", "API_KEY", "PROJECT_ID"].map(exported);
  const root = path.dirname(/CA certificate (.*)/.exec(text)?.[1] ?? "/none/ca.pem");
  return { child, baseUrl, apiKey, projectId, root, said: () => text };
}

/** With databases, and with the times of tests. */
export function startEmulator(args: readonly string[] = [], options: StartOptions = {}): Promise<Running> {
  const servers = typeof postgres === "string" ? postgres : postgres.bin;
  return startCommand(["--quick", "--postgres", servers, ...args], options);
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
