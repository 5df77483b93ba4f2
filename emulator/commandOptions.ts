// The arguments of the emulator's command, and the emulator options that they set.

import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  watchableTimings,
  type EmulatorOptions,
  type Fault,
  type FaultScope,
  type PostgresOption,
  type Profile,
  type RequestRecord,
  type Switches,
  type Timings,
} from "./index";
import { checkedFault } from "./driving/admin/faultShapes";
import { messageOf } from "./errors";
import { isProfile, profiles } from "./controlPlane/actions/index";
import { parseSwitch, switchHelp } from "./controlPlane/settings/switches";

export const defaultPort = 8787;

const steps = Object.keys(watchableTimings);

const half = Math.ceil(steps.length / 2);

export const usage = `Usage: pulumi-dbcloud emulator [options]

An emulated control plane on 127.0.0.1, for trials and tests. It is kept in memory, unless --data names a folder.

  --port PORT            TCP port; 0 takes a free one (default ${defaultPort})
  --profile PROFILE      full (default); documented: without delete, start, rename and list replica sets; public: as the
                         published sibling of this API, with Basic authentication (any user, the key as password)
  --api-key KEY          bearer value to accept (default: made up and printed). All users of this machine see an option
                         in the list of processes; the variable DBCLOUD_EMULATOR_API_KEY they do not see
  --admin-key KEY        bearer value of the admin API (default: made up and printed); or DBCLOUD_EMULATOR_ADMIN_KEY
  --project ID           id of the project (default proj000001)
  --data DIR             keep all objects, keys and passwords in this folder, and continue from there; every change is on
                         the disk before it is answered, databases included. Settings, faults and requests are not kept
  --seed N               ids and hosts follow from it (default 1); two emulators for one
                         program need different ones
  --postgres WHAT        databases behind the endpoints. auto (default): the PostgreSQL of this machine, else
                         nothing; off: nothing; or the folder of PostgreSQL's programs
  --quick                changes take milliseconds instead of seconds
  --timings STEP=MS      duration of one kind of change, or a spread: create=2000-20000 (repeatable)
  --stale-reads N        after each change, show the old values for N more reads
  --stale-ms MS          after each change, show the old values for so long
  --list-lag-ms MS       new objects are missing from lists for so long
  --not-found-ms MS      GET of a new object answers 404 for so long
  --rate-limit N         requests per second, at least 1; more get 429
  --fault JSON           a fault as POST faults of the admin API takes it (repeatable): docs/emulator-faults.md has them
  --switch NAME=VALUE    a point on which deployments differ (repeatable), see below
  --quiet                no line per request
  --background           go on after the command, on a free port unless --port names one, and print nothing but the
                         variables: eval "$(npx pulumi-dbcloud emulator --background)"; with --json as an object. Its log
                         is .dbcloud-emulator.log. Where one of this folder is running, its variables are printed again
  --stop                 end the one that --background started in this folder
  --help                 this text

Each STEP of --timings is one of
  ${steps.slice(0, half).join(", ")},
  ${steps.slice(half).join(", ")}

Switches (the type Switches of pulumi-dbcloud/emulator says what each means, and its default):

${switchHelp()
  .map((line) => `  ${line}`)
  .join("\n")}`;

const flags = {
  port: { type: "string" },
  profile: { type: "string" },
  "api-key": { type: "string" },
  "admin-key": { type: "string" },
  project: { type: "string" },
  data: { type: "string" },
  seed: { type: "string" },
  postgres: { type: "string" },
  quick: { type: "boolean" },
  timings: { type: "string", multiple: true },
  "stale-reads": { type: "string" },
  "stale-ms": { type: "string" },
  "list-lag-ms": { type: "string" },
  "not-found-ms": { type: "string" },
  fault: { type: "string", multiple: true },
  switch: { type: "string", multiple: true },
  "rate-limit": { type: "string" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export function optionsFrom(argv: string[], onRequest: (request: RequestRecord) => void): EmulatorOptions | "help" {
  const { values } = parsed(argv);
  if (values.help) return "help";
  const number = (flag: keyof typeof flags, otherwise: number, least = 0, most = 1e9): number => {
    const given = values[flag];
    if (given === undefined) return otherwise;
    const value = typeof given === "string" && /^\d{1,10}$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    throw new Error(`--${flag} wants a whole number from ${least} to ${most}, not "${given.toString()}"`);
  };
  const options: EmulatorOptions = {
    port: number("port", defaultPort, 0, 65_535),
    profile: profileFrom(values.profile),
    postgres: postgresFrom(values.postgres),
    timings: { ...(values.quick ? {} : watchableTimings), ...timingsFrom(values.timings ?? []) },
    stale: { ms: number("stale-ms", 0), reads: number("stale-reads", 0) },
    listLag: { ms: number("list-lag-ms", 0) },
    notFoundAfterCreate: { ms: number("not-found-ms", 0) },
    switches: switchesFrom(values.switch ?? []),
    faults: (values.fault ?? []).map(faultFrom),
  };
  // A variable without text is none.
  const apiKey = values["api-key"] ?? (process.env["DBCLOUD_EMULATOR_API_KEY"] || undefined);
  if (apiKey !== undefined) options.apiKey = apiKey;
  const adminKey = values["admin-key"] ?? (process.env["DBCLOUD_EMULATOR_ADMIN_KEY"] || undefined);
  if (adminKey !== undefined) options.adminKey = adminKey;
  // A data folder keeps the seed that it was made with.
  if (values.seed !== undefined || values.data === undefined) options.seed = number("seed", 1);
  if (values.data !== undefined) options.data = values.data;
  if (values.project !== undefined) options.projectId = values.project;
  if (values["rate-limit"] !== undefined) {
    options.rateLimit = { perSecond: number("rate-limit", 1, 1), retryAfterSeconds: 1 };
  }
  if (!values.quiet) options.onRequest = onRequest;
  return options;
}

function parsed(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: flags, strict: true });
  } catch (error) {
    // Node's text continues with advice on `--`.
    throw new Error(messageOf(error).replace(/\. .*$/s, ""), { cause: error });
  }
}

function switchesFrom(given: readonly string[]): Partial<Switches> {
  try {
    return Object.assign({}, ...given.map(parseSwitch)) as Partial<Switches>;
  } catch (error) {
    throw new Error(`--switch ${messageOf(error)}`, { cause: error });
  }
}

function faultFrom(text: string): Fault & FaultScope {
  try {
    return checkedFault("--fault", JSON.parse(text) as object);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`--fault wants JSON, not "${text}"`, { cause: error });
    throw error;
  }
}

function profileFrom(given = "full"): Profile {
  if (isProfile(given)) return given;
  throw new Error(`--profile wants ${Object.keys(profiles).join(", ")}, not "${given}"`);
}

function postgresFrom(given = "auto"): PostgresOption {
  if (given === "auto" || given === "off") return given;
  if (existsSync(given)) return { bin: given };
  throw new Error(`--postgres wants auto, off or the folder of PostgreSQL's programs, and there is no "${given}"`);
}

function timingsFrom(given: readonly string[]): Partial<Timings> {
  const timings: Partial<Timings> = {};
  for (const text of given) {
    const [, step = "", from = "", to] = /^(\w+)=(\d+)(?:-(\d+))?$/.exec(text) ?? [];
    if (!isStep(step))
      throw new Error(`--timings wants STEP=MS or STEP=MS-MS with a STEP of ${steps.join(", ")}; not "${text}"`);
    timings[step] = to === undefined ? Number(from) : [Number(from), Number(to)];
  }
  return timings;
}

const isStep = (word: string): word is keyof Timings => steps.includes(word);
