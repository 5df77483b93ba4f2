// OpenTofu with a generic REST provider against the same server, if both are installed: the alternative without a
// provider for this API. Downloads nothing: `tofu` is on PATH, and the provider's plugin in a folder of plugins.

import { execFile } from "node:child_process";
import { access, constants, readdir, writeFile } from "node:fs/promises";
import { availableParallelism, homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { getsOf } from "../figures.ts";
import { seconds } from "../format.ts";
import type { Requests, Table } from "../model.ts";

const run = promisify(execFile);

/** Prefix of the plugin's file name; the folder for `tofu init` has it under its registry address. */
const PLUGIN = "terraform-provider-restapi";
const SOURCE = "mastercard/restapi";
/** Pulumi's default number of operations at once. */
const PARALLEL = 4 * availableParallelism();
const MOST_OUTPUT = 100_000_000;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Tofu {
  command: string;
  plugins: string;
}

/** The command and the folder of plugins, or what is missing. */
export async function findTofu(environment: Environment, home = homedir()): Promise<Tofu | { missing: string }> {
  const folders = (environment["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const command = await firstOf(folders, (folder) => executable(path.join(folder, "tofu")));
  if (command === undefined) return { missing: "there is no `tofu` on PATH" };
  const given = environment["DBCLOUD_BENCH_PLUGINS"];
  const usual = [".terraform.d/plugins", ".local/share/opentofu/plugins"].map((name) => path.join(home, name));
  const searched = given === undefined ? usual : [given];
  const plugins = await firstOf(searched, async (folder) => ((await holdsPlugin(folder)) ? folder : undefined));
  if (plugins !== undefined) return { command, plugins };
  return { missing: `there is no ${PLUGIN} in ${searched.join(", ")} (DBCLOUD_BENCH_PLUGINS names another folder)` };
}

async function firstOf<T>(
  folders: readonly string[],
  found: (folder: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const folder of folders) {
    const result = await found(folder);
    if (result !== undefined) return result;
  }
  return undefined;
}

function executable(file: string): Promise<string | undefined> {
  return access(file, constants.X_OK).then(
    () => file,
    () => undefined,
  );
}

function holdsPlugin(folder: string): Promise<boolean> {
  return readdir(folder, { recursive: true }).then(
    (names) => names.some((name) => path.basename(name).startsWith(PLUGIN)),
    () => false,
  );
}

export interface PeerServer {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projectId: string;
  takeRequests(): Promise<Requests>;
}

/** Pulumi's name for an operation, and the OpenTofu command for the same. */
const commands = {
  up: "apply",
  preview: "plan -refresh=false",
  refresh: "plan",
  destroy: "destroy",
} as const;

export interface PeerMeasurement {
  operation: keyof typeof commands;
  wallMs: number;
  gets: number;
}

/** Takes this many services through their life cycle, in a separate folder. */
export async function measureTofu(
  tofu: Tofu,
  server: PeerServer,
  folder: string,
  count: number,
): Promise<PeerMeasurement[]> {
  await writeFile(path.join(folder, "main.tf.json"), JSON.stringify(configurationOf(server, count), null, 2));
  // An empty file in place of the user's settings.
  const settings = path.join(folder, "settings.tfrc");
  await writeFile(settings, "");
  const env = { ...process.env, TF_CLI_CONFIG_FILE: settings };
  const call = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run(tofu.command, [...args, "-no-color"], { cwd: folder, env, maxBuffer: MOST_OUTPUT });
    return stdout;
  };
  await call("init", "-input=false", `-plugin-dir=${tofu.plugins}`);
  const measure = async (
    operation: PeerMeasurement["operation"],
    given: readonly string[],
    hasDone: (output: string) => boolean,
  ): Promise<PeerMeasurement> => {
    const args = [...commands[operation].split(" "), "-input=false", `-parallelism=${PARALLEL}`, ...given];
    await server.takeRequests();
    const began = performance.now();
    const output = await call(...args);
    const wallMs = performance.now() - began;
    if (!hasDone(output)) throw new Error(`tofu ${args.join(" ")} did something else:\n${output.slice(-2_000)}`);
    return { operation, wallMs, gets: getsOf(await server.takeRequests()) };
  };
  const isUnchanged = (output: string): boolean => /^No changes\./m.test(output);
  return [
    await measure("up", ["-auto-approve"], (output) => changedIn(output)?.added === count),
    await measure("preview", [], isUnchanged),
    await measure("refresh", [], isUnchanged),
    await measure("destroy", ["-auto-approve"], (output) => changedIn(output)?.destroyed === count),
  ];
}

/** The counts in the last line of an apply or a destroy. */
export function changedIn(output: string): { added: number; destroyed: number } | undefined {
  const found = /^(?:Apply|Destroy) complete! Resources: (?:(\d+) added, \d+ changed, )?(\d+) destroyed\./m.exec(
    output,
  );
  return found === null ? undefined : { added: Number(found[1] ?? 0), destroyed: Number(found[2]) };
}

function configurationOf({ baseUrl, apiKey, projectId }: PeerServer, count: number): object {
  const data = {
    name: "service${count.index}",
    region_code: "us-east-1",
    addons: ["time-series"],
    cpu_millis: "500",
    memory_gbs: "2",
    environment_tag: "DEV",
  };
  return {
    terraform: { required_providers: { restapi: { source: SOURCE } } },
    provider: {
      restapi: {
        uri: baseUrl,
        headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
        id_attribute: "service_id",
        write_returns_object: true,
      },
    },
    resource: {
      restapi_object: {
        service: {
          count,
          path: `/projects/${projectId}/services`,
          data: JSON.stringify(data),
          ignore_server_additions: true,
          // API: answers show these in another form than requests, so every plan would change them.
          ignore_changes_to: ["addons", "cpu_millis", "memory_gbs", "environment_tag"],
        },
      },
    },
  };
}

/** Beside this package's figure of the same run, if it has one for as many services. */
export function peersTable(
  count: number,
  measured: readonly PeerMeasurement[],
  ours: (operation: PeerMeasurement["operation"]) => { wallMs: number; gets: number } | undefined,
): Table {
  const rows = measured.map(({ operation, wallMs, gets }) => {
    const own = ours(operation);
    const beside =
      own === undefined ? ["", "", ""] : [seconds(own.wallMs), `${(own.wallMs / wallMs).toFixed(2)} ×`, `${own.gets}`];
    return [`\`${commands[operation]}\``, seconds(wallMs), `${gets}`, `\`${operation}\``, ...beside];
  });
  return {
    title: `OpenTofu with a generic REST provider, which waits for nothing: ${count} services, ready at once`,
    head: ["", "OpenTofu", "its GETs", "ours", "takes", "ratio", "our GETs"],
    rows,
  };
}
