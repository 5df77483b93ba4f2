// Where the demo plays: an emulator in this process, a Pulumi backend in a temporary folder, and the repository's own
// project. Nothing of it is left behind, and nothing of the user's own Pulumi set-up is touched or counted on.
import { execFile, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createEmulator } from "../../dist/emulator/index.js";
import { typed } from "./voice.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stack = "demo";

// Long enough to be seen, short enough not to be waited for.
const timings = {
  queued: 200,
  create: 800,
  fork: 800,
  resize: 500,
  ha: 500,
  attach: 400,
  detach: 400,
  pooler: 300,
  environment: 100,
  stop: 400,
  start: 400,
  delete: 400,
  replicaCreate: 600,
  replicaResize: 400,
  replicaDelete: 400,
  vpcDelete: 300,
  peeringProvision: 400,
  peeringActive: 400,
  peeringDelete: 300,
  firstBackup: 200,
};

/** `isQuick`: changes take milliseconds, for those who only want to know whether all is well. */
export async function openStage({ isQuick }) {
  const emulator = await createEmulator({ timings: isQuick ? {} : timings, seed: 7 });
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-demo-"));
  const settings = settingsFor(emulator, folder, isQuick ? "10ms" : "100ms");
  const env = { ...withoutSettings(process.env), ...settings };
  const close = async () => {
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
    folder,
    settings,
    /** Types a command, with Pulumi's own output; resolves with its exit code. */
    pulumi(args, { input, shown = args } = {}) {
      typed(["pulumi", ...shown].join(" "));
      return run(args, env, input);
    },
    /** What the state holds of each resource: type, name, id and inputs. */
    async resources() {
      const { stdout } = await quietly(["stack", "export"], env);
      return JSON.parse(stdout).deployment.resources ?? [];
    },
    close,
  };
}

// The stack is made from a copy of the project, because Pulumi writes a new stack's file beside it.
async function makeStack(folder, env) {
  mkdirSync(path.join(folder, "state"));
  copyFileSync(path.join(root, "Pulumi.yaml"), path.join(folder, "Pulumi.yaml"));
  await quietly(["--cwd", folder, "stack", "init", stack], env);
  await quietly(["stack", "select", stack], env);
}

/** What a person exports to go on by hand. */
function settingsFor(emulator, folder, pollInterval) {
  return {
    PULUMI_HOME: path.join(folder, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(path.join(folder, "state")).href,
    PULUMI_OPTION_CONFIG_FILE: path.join(folder, `Pulumi.${stack}.yaml`),
    PULUMI_CONFIG_PASSPHRASE: "demo",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DBCLOUD_BASE_URL: emulator.baseUrl,
    DBCLOUD_API_KEY: emulator.apiKey,
    DBCLOUD_POLL_INTERVAL: pollInterval,
  };
}

/** The user's own account and project must have no say here. */
function withoutSettings(env) {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !/^(PULUMI|DBCLOUD)_/.test(key)));
}

function quietly(args, env) {
  return promisify(execFile)("pulumi", args, { cwd: root, env, maxBuffer: 100_000_000 });
}

function run(args, env, input) {
  const stdio = [input === undefined ? "inherit" : "pipe", "inherit", "inherit"];
  return new Promise((resolve, reject) => {
    const child = spawn("pulumi", args, { cwd: root, env, stdio });
    child.stdin?.end(input);
    child.on("error", reject);
    child.on("close", (code) => resolve(code));
  });
}
