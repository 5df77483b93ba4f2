// The doctor's checks: Node, the Pulumi CLI and this package as the provider process will find it; then the settings and
// their sources, the API, and the project.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { VERSION } from "../provider/api/version";
import { isAtLeast, nodeProblem, type Versions } from "../provider/domain/config/nodeVersion";
import {
  configKeys,
  type ConfigKey,
  type ConfigSource,
  environmentName,
  readSettings,
} from "../provider/domain/config/config";
import { ProviderError } from "../provider/domain/errors";
import { ALLOWED_HOSTS, checkKeyRoute } from "../provider/domain/config/keyRoute";
import { unknownNames } from "../provider/domain/config/unknownNames";
import type { Project } from "../provider/domain/lookups";
import { membersOf, textOf } from "../provider/domain/values/value";
import { type AccountFlags, accountSources, openAccount } from "./account";
import type { Surroundings, Io } from "./command";
import { askPulumi, IMPORT_NEEDS, isAbsent, pulumiVersion, reasonOf } from "./pulumiCli";

export interface CheckResult {
  verdict: "good" | "note" | "bad";
  text: string;
  /** What to do about it. */
  advice?: string | undefined;
}

/** The first @pulumi/pulumi that shows drift by property. */
const SDK_NEEDS = "3.216.0";

export function checkNode(versions: Versions): CheckResult[] {
  const problem = nodeProblem(versions);
  return problem === undefined
    ? [{ verdict: "good", text: `Node ${versions.node}` }]
    : [bad(problem.message, problem.hint)];
}

export async function checkPulumi(io: Surroundings): Promise<CheckResult[]> {
  const version = await pulumiVersion(io);
  if (version === undefined)
    return [bad("no Pulumi CLI on the PATH", "Install it: https://www.pulumi.com/docs/install/")];
  const text = `Pulumi CLI ${version}`;
  if (isAtLeast(version, IMPORT_NEEDS)) return [{ verdict: "good", text }];
  const advice = `It is enough for everything but \`pulumi import --file\`, which needs ${IMPORT_NEEDS} or newer.`;
  return [{ verdict: "note", text, advice }];
}

/** What runs the provider for a program in this folder: the package of a Node.js program, the plugin of any other one. */
export async function checkProvider(io: Surroundings): Promise<CheckResult[]> {
  const project = projectIn(io.cwd);
  const runtime = runtimeIn(project);
  const own = runtime === NODEJS ? checkPackage(io.cwd) : [];
  const entry = /\bname:\s*["']?dbcloud["']?[\s,]+path:\s*(?:(["'])(?<quoted>.*?)\1|(?<plain>[^\n},#]+))/.exec(project);
  const named = entry?.groups?.["quoted"] ?? entry?.groups?.["plain"];
  if (named !== undefined) return [...own, checkPlugin(path.resolve(io.cwd, named.trim()))];
  return runtime === NODEJS ? own : [await checkInstalled(runtime, io)];
}

const NODEJS = "nodejs";

/** The classes of the dynamic form exist for no other program. */
export const isNodeProject = (cwd: string): boolean => runtimeIn(projectIn(cwd)) === NODEJS;

function projectIn(cwd: string): string {
  const file = path.join(cwd, "Pulumi.yaml");
  return existsSync(file) ? readFileSync(file, "utf8").replaceAll("\r", "") : "";
}

/** Pulumi: `runtime` is a word, or has a `name` at any place among its keys. */
function runtimeIn(project: string): string {
  const [, block = ""] = /^runtime:(.*(?:\n(?:[ \t#].*)?)*)/m.exec(project) ?? [];
  const found = /(?:^|[\s{,])name:\s*["']?(\w+)/.exec(block) ?? /^\s*["']?(\w+)/.exec(block);
  return found?.[1] ?? NODEJS;
}

/** Pulumi: the engine starts the executable in the folder that `Pulumi.yaml` names. */
function checkPlugin(folder: string): CheckResult {
  const file = path.join(folder, "pulumi-resource-dbcloud");
  if (existsSync(file)) return { verdict: "good", text: `the plugin in ${folder}, as Pulumi.yaml says` };
  return bad(`Pulumi.yaml names ${folder} for the plugin, and there is no pulumi-resource-dbcloud`, INSTALL_PLUGIN);
}

async function checkInstalled(runtime: string, io: Surroundings): Promise<CheckResult> {
  const text = await askPulumi(["plugin", "ls", "--json"], io).catch(() => undefined);
  if (text === undefined) {
    return { verdict: "note", text: "could not look for the plugin, because `pulumi plugin ls` failed" };
  }
  const installed = JSON.parse(text) as { name: string; version?: string }[];
  const versions = installed.flatMap(({ name, version }) => (name === "dbcloud" ? [version ?? "?"] : []));
  if (versions.length > 0) return { verdict: "good", text: `the plugin dbcloud ${versions.join(", ")}` };
  return bad(`a program for ${runtime} needs the plugin dbcloud, and none is installed`, INSTALL_PLUGIN);
}

const INSTALL_PLUGIN =
  `Install it: pulumi plugin install resource dbcloud ${VERSION} --file ARCHIVE, with the ` +
  "archive of this release for your platform.";

/** Pulumi: the provider process looks for packages from the program's folder upwards, and never within a package itself. */
export function checkPackage(cwd: string): CheckResult[] {
  const own = findPackage(cwd, "pulumi-dbcloud");
  if (own === undefined) return [bad(`a program in ${cwd} does not find pulumi-dbcloud`, INSTALL)];
  const { folder, version } = own;
  const other = version === VERSION ? "" : `; this command is version ${VERSION}`;
  return [{ verdict: "good", text: `pulumi-dbcloud ${version} in ${folder}${other}` }, checkSdk(cwd)];
}

const SDK = "@pulumi/pulumi";
const INSTALL =
  `Add pulumi-dbcloud and ${SDK} to the dependencies of the program, in its folder (with Pulumi.yaml), with its own ` +
  `package manager: npm install pulumi-dbcloud ${SDK}, for example.`;

function checkSdk(cwd: string): CheckResult {
  const sdk = findPackage(cwd, SDK);
  if (sdk === undefined) return bad(`a program in ${cwd} does not find ${SDK}`, INSTALL);
  if (isAtLeast(sdk.version, SDK_NEEDS)) return { verdict: "good", text: `${SDK} ${sdk.version}` };
  return bad(`${SDK} ${sdk.version} is too old: ${SDK_NEEDS} is needed`, INSTALL);
}

function bad(text: string, advice: string | undefined): CheckResult {
  return { verdict: "bad", text, advice };
}

/** Undefined if there is none, or its package.json tells no version: then it must be installed again too. */
function findPackage(cwd: string, name: string): { folder: string; version: string } | undefined {
  const folder = folderOf(cwd, name);
  if (folder === undefined) return undefined;
  try {
    const manifest = membersOf(JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")));
    const version = textOf(manifest, "version");
    return version === undefined ? undefined : { folder: realpathSync(folder), version };
  } catch {
    return undefined;
  }
}

function folderOf(cwd: string, name: string): string | undefined {
  const { resolve } = createRequire(path.join(cwd, "program.js"));
  const scopes = resolve.paths(name) ?? [];
  return (
    scopes.map((scope) => path.join(scope, name)).find((one) => existsSync(path.join(one, "package.json"))) ??
    plugAndPlay(resolve, name)
  );
}

/** Yarn's Plug'n'Play has no folder of packages, and runs commands with a `resolve` of its own. */
function plugAndPlay(resolve: NodeJS.RequireResolve, name: string): string | undefined {
  if (process.versions["pnp"] === undefined) return undefined;
  try {
    return path.dirname(resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

export async function checkConfiguration(flags: AccountFlags, io: Io): Promise<CheckResult[]> {
  const { stack, notes } = await readStack(io);
  // The environment wins over the stack, as it does for the provider.
  const sources = [...accountSources(flags, io), stackSource(stack)];
  const known = [...notes, ...checkSettings(stack, sources), ...checkStackKey(stack)];
  // Settings with unknown names do not prevent the request.
  const settings = [...known, ...checkNames(io, stack)];
  if (known.some(({ verdict }) => verdict === "bad")) return settings;
  // A key that only the stack configuration has works in programs. This command cannot decrypt it, so no request is made.
  const isKeyHere = sources.some(({ read }) => read("apiKey") !== undefined);
  if (!isKeyHere) {
    const advice = "To check it too, set DBCLOUD_API_KEY in the environment.";
    return [...settings, unasked(", because the key is a secret of this stack", advice)];
  }
  try {
    checkKeyRoute(readSettings(sources), io.environment[ALLOWED_HOSTS]);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return [...settings, unasked(`: ${error.message}`, error.hint)];
  }
  return [...settings, ...(await checkApi(sources, io).catch((error: unknown) => [failure(error)]))];
}

function unasked(why: string, advice: string | undefined): CheckResult {
  return { verdict: "note", text: `the API was not checked${why}`, advice };
}

interface Setting {
  value?: string;
  secret: boolean;
}

type StackSettings = ReadonlyMap<string, Setting>;

/** The configuration of the stack that is selected in this folder, without secrets; empty if it cannot be read. */
async function readStack(io: Io): Promise<{ stack: StackSettings; notes: CheckResult[] }> {
  try {
    const text = await askPulumi(["config", "--json", "--non-interactive"], io);
    return { stack: new Map(Object.entries(JSON.parse(text) as Record<string, Setting>)), notes: [] };
  } catch (error) {
    const why = reasonOf(error);
    const hasProject = !isAbsent(error) && !why.endsWith("no project file found");
    const text = `the configuration of the stack was not read: ${why}`;
    return { stack: new Map(), notes: hasProject ? [{ verdict: "note", text }] : [] };
  }
}

function checkSettings(stack: StackSettings, sources: readonly ConfigSource[]): CheckResult[] {
  try {
    readSettings(sources);
    return (Object.keys(configKeys) as ConfigKey[]).flatMap((key) => checkSetting(key, stack, sources));
  } catch (error) {
    return [failure(error)];
  }
}

function checkSetting(key: ConfigKey, stack: StackSettings, sources: readonly ConfigSource[]): CheckResult[] {
  const variable = environmentName(key);
  const places = {
    flag: "given here",
    environment: `environment ${variable}`,
    provider: "a Provider",
    stack: "this stack's configuration",
  };
  const secret = stack.get(`dbcloud:${key}`)?.secret === true ? "[secret]" : undefined;
  const [first, second] = sources
    .map(({ origin, read }) => ({ origin, value: read(key) ?? (origin === "stack" ? secret : undefined) }))
    .filter(({ value }) => value !== undefined)
    .map(({ origin, value }) => ({ from: places[origin], value }));
  if (first !== undefined) {
    const value = key === "apiKey" ? "set" : first.value;
    const beaten = second === undefined ? "" : `, before ${second.from}`;
    return [{ verdict: "good", text: `${key}: ${value} (${first.from}${beaten})` }];
  }
  if (key !== "apiKey" && key !== "baseUrl") return [];
  const command = key === "apiKey" ? "pulumi config set --secret dbcloud:apiKey" : "pulumi config set dbcloud:baseUrl";
  return [bad(`${key}: not set`, `Set ${variable} in the environment, or for one stack \`${command} …\`.`)];
}

/** Settings with unknown, probably misspelled names. */
function checkNames({ environment }: Io, stack: StackSettings): CheckResult[] {
  return unknownNames(environment, [...stack.keys()]).map(({ isRefused, message, remedy }): CheckResult => ({
    verdict: isRefused ? "bad" : "note",
    text: message,
    advice: remedy,
  }));
}

function checkStackKey(stack: StackSettings): CheckResult[] {
  const setting = stack.get("dbcloud:apiKey");
  if (setting === undefined || setting.secret) return [];
  const advice = "Run `pulumi config set --secret dbcloud:apiKey`, and revoke the old key.";
  return [bad("dbcloud:apiKey is in this stack's configuration in plain text", advice)];
}

function stackSource(stack: StackSettings): ConfigSource {
  return {
    origin: "stack",
    read: (key) => {
      const { secret, value } = stack.get(`dbcloud:${key}`) ?? { secret: true };
      return secret ? undefined : value;
    },
  };
}

async function checkApi(sources: readonly ConfigSource[], io: Io): Promise<CheckResult[]> {
  const session = openAccount(sources, io);
  try {
    const projects = await session.client.projects.list({ attempts: "once" });
    return [
      { verdict: "good", text: `${session.config.baseUrl} answers and accepts the key` },
      checkProject(projects, session.config.projectId),
    ];
  } finally {
    await session.client.close();
  }
}

function checkProject(projects: readonly Project[], wanted: string | undefined): CheckResult {
  const choices = projects.map(shown).join(", ") || "no project";
  const only = projects.length === 1 ? projects[0] : undefined;
  const found = wanted === undefined ? only : projects.find(({ id }) => id === wanted);
  if (found !== undefined) {
    const how = wanted === undefined ? ", the only one that the key can access" : "";
    return { verdict: "good", text: `project ${shown(found)}${how}` };
  }
  return bad(
    wanted === undefined
      ? `no project is selected, and the key can access ${choices}`
      : `the key cannot access project ${wanted}, only ${choices}`,
    "Set DBCLOUD_PROJECT_ID or `pulumi config set dbcloud:projectId …` to one of them, or use a key of another project.",
  );
}

const shown = ({ id, name }: Project): string => `${id} ("${name}")`;

function failure(error: unknown): CheckResult {
  if (error instanceof ProviderError) return bad(error.message, error.hint);
  throw error;
}
