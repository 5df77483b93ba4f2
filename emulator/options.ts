// Checks the options of an emulator before anything runs, and generates those that are left out.

import { randomBytes, randomInt } from "node:crypto";
import { format, type DataFolder, type Identity } from "./driving/data/folder";
import type { EmulatorOptions } from "./emulator";
import { profiles } from "./controlPlane/actions/index";
import type { Settings } from "./controlPlane/settings/settings";
import { defaultSwitches } from "./controlPlane/settings/switches";
import { defaultTimings } from "./controlPlane/settings/timings";
import { requireKnown } from "./checkedShape";

export const projectsOf = ({ projects }: EmulatorOptions, projectId: string): { id: string; name: string }[] =>
  projects ?? [{ id: projectId, name: "default" }];

/** The settings that an emulator starts with, and resets to. */
export function settingsOf({ profile = "full", ...options }: EmulatorOptions): Settings {
  return {
    timings: { ...defaultTimings, ...options.timings },
    stale: { ...options.stale },
    listLag: { ...options.listLag },
    notFoundAfterCreate: { ...options.notFoundAfterCreate },
    rateLimit: options.rateLimit,
    switches: { ...defaultSwitches, ...profiles[profile].switches, ...options.switches },
  };
}

/** A given option takes precedence over one stored in a data folder, and that over a generated one. */
export function identityOf(options: EmulatorOptions, folder: DataFolder | undefined): Identity {
  const kept = folder?.identity;
  const projectId = options.projectId ?? options.projects?.[0]?.id ?? kept?.projectId ?? "proj000001";
  if (folder !== undefined && kept !== undefined && kept.projectId !== projectId) {
    throw new Error(
      `${folder.path} keeps project ${kept.projectId}, not ${projectId}: leave the project out, or take another folder`,
    );
  }
  return {
    format,
    // They begin with a letter: a command line would read a leading "-" as an option.
    apiKey: options.apiKey ?? kept?.apiKey ?? `key_${randomBytes(24).toString("base64url")}`,
    adminKey: options.adminKey ?? kept?.adminKey ?? `admin_${randomBytes(24).toString("base64url")}`,
    projectId,
    seed: options.seed ?? kept?.seed ?? randomInt(2 ** 31),
  };
}

const lag = { ms: true, reads: true };

/** The compiler reports a missing name. */
const optionNames: Readonly<Record<keyof EmulatorOptions, true | object>> = {
  port: true,
  profile: true,
  apiKey: true,
  projectId: true,
  projects: true,
  callers: true,
  now: true,
  timings: defaultTimings,
  stale: { ...lag, comesBack: true },
  listLag: lag,
  notFoundAfterCreate: lag,
  rateLimit: { perSecond: true, burst: true, retryAfterSeconds: true },
  postgres: true,
  switches: defaultSwitches,
  faults: true,
  seed: true,
  onRequest: true,
  onUnstable: true,
  adminKey: true,
  data: true,
};

function requireKnownNames(options: EmulatorOptions): void {
  requireKnown("createEmulator", options, Object.keys(optionNames));
  for (const [name, members] of Object.entries(optionNames)) {
    const given: unknown = Reflect.get(options, name);
    if (members === true || given === undefined) continue;
    if (typeof given !== "object" || given === null)
      throw new TypeError(`createEmulator: ${name} is an object, not ${JSON.stringify(given)}`);
    requireKnown(`createEmulator: ${name}`, given, Object.keys(members));
  }
}

/** A sentence about what is wrong with `postgres`. */
function whyNoPostgresOption(given: unknown): string | undefined {
  if (given === undefined || given === "auto" || given === "off") return undefined;
  const bin: unknown = typeof given === "object" && given !== null ? Reflect.get(given, "bin") : undefined;
  if (typeof bin === "string" && bin !== "") return undefined;
  return `"auto", "off" or { bin: the folder of PostgreSQL's programs }, not ${JSON.stringify(given)}`;
}

/** A key that no client could send, or an id that no path could hold, is refused before anything listens. */
export function requireUsable(options: EmulatorOptions): void {
  requireKnownNames(options);
  const { apiKey, adminKey, callers = [], projectId, projects = [], port, postgres } = options;
  const why = whyNoPostgresOption(postgres);
  if (why !== undefined) throw new TypeError(`createEmulator: postgres is ${why}`);
  for (const token of [apiKey, adminKey, ...callers.map((caller) => caller.token)]) {
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new RangeError("an API key has at least one character, all of them visible ASCII: a header carries it");
  }
  for (const id of [projectId, ...projects.map((project) => project.id)]) {
    if (id !== undefined && !/^[^\s/?#]+$/.test(id))
      throw new RangeError(`a project id has no spaces and none of / ? #, not ${JSON.stringify(id)}`);
  }
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new RangeError(`a port is a whole number from 0 (a free one) to 65535, not ${port}`);
}
