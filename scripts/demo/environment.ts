// The environment of the demo: an emulator in this process, a Pulumi backend in a temporary folder, and the
// repository's own project. It leaves nothing behind, and neither reads nor changes the user's Pulumi settings.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createEmulator, type Emulator, watchableTimings } from "pulumi-dbcloud/emulator";
import { createExcerpt } from "./excerpt.ts";
import { print } from "../options.ts";
import { command } from "./output.ts";
import type { StateResource } from "./serverCheck.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stack = "demo";

type Environment = Record<string, string | undefined>;

export type DemoEnvironment = Awaited<ReturnType<typeof openEnvironment>>;

/** Long enough to watch, short enough not to bore: a fifth of the durations of the emulator's command. */
const timings = Object.fromEntries(Object.entries(watchableTimings).map(([step, ms]) => [step, Number(ms) / 5]));

export interface DemoOptions {
  /** Changes take milliseconds, for users who only want the outcome. */
  quick: boolean;
  /** Pulumi's own output, whole. */
  verbose: boolean;
}

export async function openEnvironment({ quick: isQuick, verbose: isVerbose }: DemoOptions) {
  const emulator = await createEmulator({ timings: isQuick ? {} : timings, seed: 7, postgres: "auto" });
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-demo-"));
  const settings = settingsFor(emulator, folder, isQuick ? "10ms" : "100ms");
  const env = { ...withoutSettings(process.env), ...settings };
  const close = async (): Promise<void> => {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await makeStack(folder, env);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    emulator,
    /** The exports for a user who continues by hand. */
    settings,
    /** Runs a command with Pulumi's own output, or what matters of it; resolves with its exit code. */
    pulumi(args: readonly string[], { input }: { input?: string } = {}) {
      command(["pulumi", ...args].join(" "));
      return run(args, env, { input, isVerbose });
    },
    /** The resources in the state. */
    async resources() {
      const { stdout } = await quietly(["stack", "export"], env);
      const { deployment } = JSON.parse(stdout) as { deployment: { resources?: StateResource[] } };
      return deployment.resources ?? [];
    },
    /** The outputs of the stack, secrets included. */
    async outputs() {
      const { stdout } = await quietly(["stack", "output", "--json", "--show-secrets"], env);
      return JSON.parse(stdout) as Record<string, string | undefined>;
    },
    close,
  };
}

/** The stack uses a copy of the project, because Pulumi writes a new stack's file beside it. */
async function makeStack(folder: string, env: Environment): Promise<void> {
  mkdirSync(path.join(folder, "state"));
  copyFileSync(path.join(root, "Pulumi.yaml"), path.join(folder, "Pulumi.yaml"));
  await quietly(["--cwd", folder, "stack", "init", stack], env);
  await quietly(["stack", "select", stack], env);
  // The fork is made later, when its source has data.
  appendFileSync(path.join(folder, `Pulumi.${stack}.yaml`), "config:\n  shop:rehearsal: false\n");
}

function settingsFor(emulator: Emulator, folder: string, pollInterval: string): Record<string, string> {
  return {
    PULUMI_HOME: path.join(folder, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(path.join(folder, "state")).href,
    PULUMI_OPTION_CONFIG_FILE: path.join(folder, `Pulumi.${stack}.yaml`),
    PULUMI_CONFIG_PASSPHRASE: "demo",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DBCLOUD_BASE_URL: emulator.baseUrl,
    DBCLOUD_API_KEY: emulator.apiKey,
    DBCLOUD_POLL_INTERVAL: pollInterval,
    DBCLOUD_TEST_TIME_SCALE: "0.01",
  };
}

/** The user's own account and project must not apply here. */
function withoutSettings(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !/^(PULUMI|DBCLOUD)_/.test(key)));
}

function quietly(args: readonly string[], env: Environment): Promise<{ stdout: string }> {
  return promisify(execFile)("pulumi", args, { cwd: root, env, maxBuffer: 100_000_000 });
}

interface Run {
  input: string | undefined;
  isVerbose: boolean;
}

async function run(args: readonly string[], env: Environment, { input, isVerbose }: Run): Promise<number | null> {
  const stdin = input === undefined ? "inherit" : "pipe";
  const child = spawn("pulumi", isVerbose ? args : [...args, "--color=never"], {
    cwd: root,
    env,
    stdio: [stdin, isVerbose ? "inherit" : "pipe", "inherit"],
  });
  child.stdin?.end(input);
  if (child.stdout !== null) {
    const excerpt = createExcerpt();
    createInterface({ input: child.stdout }).on("line", (line) => print(...excerpt(line)));
  }
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}
