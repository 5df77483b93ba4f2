// The arguments of the emulator's command, and the emulator options that they set.

import { parseArgs } from "node:util";
import type { EmulatorOptions } from "./index";
import { required } from "./checkedShape";
import { optionShapes } from "./options";
import { checkedFault } from "./controlPlane/http/faults";
import { settingsRequest, defaultSwitches, watchableTimings } from "./controlPlane/settings/settings";

export const defaultPort = 8787;

/** The names, indented, in lines of a terminal's width. */
const listed = (known: object): string =>
  Object.keys(known)
    .join(", ")
    .replaceAll(/(.{1,100})(?:, |$)/g, "\n  $1");

export const usage = `Usage: pulumi-dbcloud emulator [options]

Runs an emulated control plane on 127.0.0.1, for trials and tests. It is kept in memory, unless you give --data.

  --port PORT            TCP port; 0 takes a free one (default ${defaultPort})
  --profile PROFILE      full (default); documented: without delete, start, rename, and list replica sets
  --project ID           id of the project (default proj000001)
  --data DIR             keep all objects, databases, keys, and passwords in this folder, and continue from there. Every
                         change is on disk before it is answered. Settings, faults, and requests are not kept
  --seed N               seed of ids and hosts (default 1). Two emulators for one program need different seeds
  --postgres WHAT        databases behind the endpoints. auto (default): the PostgreSQL of this machine, if there is one;
                         required: the same, or the command fails and says why; off: none; or the folder of
                         PostgreSQL's programs
  --quick                make changes take milliseconds instead of seconds
  --settings JSON        timings, lags, rate limit, and switches, as for PATCH settings of the admin API:
                         '{"timings":{"create":[2000,20000]},"stale":{"ms":300},"switches":{"minPasswordLength":1}}'
  --fault JSON           a fault, as for POST faults of the admin API (repeatable):
                         '{"kind":"lostAfter","operation":"createService"}'
  --quiet                print no line per request
  --background           continue after the command, on a free port unless you give --port, and print only the variables:
                         eval "$(npx pulumi-dbcloud emulator --background)"; with --json, as an object. The log is in
                         .dbcloud-emulator.log. If this folder has a running emulator, print its variables again
  --stop                 stop the emulator that --background started in this folder
  --help                 show this text

DBCLOUD_EMULATOR_API_KEY and DBCLOUD_EMULATOR_ADMIN_KEY set the bearer values of the API and of the admin API (default:
generated and printed). The types of pulumi-dbcloud/emulator (dist/emulator/index.d.ts) explain each name.

The timings, in milliseconds:
${listed(watchableTimings)}

The switches, for points in which deployments differ:
${listed(defaultSwitches)}`;

const flags = {
  port: { type: "string" },
  profile: { type: "string" },
  project: { type: "string" },
  data: { type: "string" },
  seed: { type: "string" },
  postgres: { type: "string" },
  quick: { type: "boolean" },
  settings: { type: "string" },
  fault: { type: "string", multiple: true },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Undefined where help is asked for. */
export function optionsFrom(argv: string[]): { options: EmulatorOptions; isQuiet: boolean } | undefined {
  const { values } = parseArgs({ args: argv, options: flags, strict: true });
  if (values.help) return undefined;
  const number = (flag: keyof typeof flags, otherwise: number, most = 1e9): number => {
    const given = values[flag];
    if (given === undefined) return otherwise;
    const value = typeof given === "string" && /^\d{1,10}$/.test(given) ? Number(given) : NaN;
    if (value <= most) return value;
    throw new Error(`--${flag} takes a whole number from 0 to ${most}, not "${given.toString()}"`);
  };
  const { rateLimit, ...settings } = required(
    "--settings",
    settingsRequest,
    jsonOf("settings", values.settings ?? "{}"),
  );
  const { postgres = "auto" } = values;
  const options: EmulatorOptions = {
    port: number("port", defaultPort, 65_535),
    profile: required("--profile", optionShapes.profile, values.profile ?? "full"),
    postgres: postgres === "auto" || postgres === "off" || postgres === "required" ? postgres : { bin: postgres },
    ...settings,
    timings: { ...(values.quick ? {} : watchableTimings), ...settings.timings },
    rateLimit: rateLimit ?? undefined,
    faults: (values.fault ?? []).map((text) => checkedFault("--fault", jsonOf("fault", text))),
  };
  const texts = [
    ["apiKey", process.env["DBCLOUD_EMULATOR_API_KEY"] || undefined, "DBCLOUD_EMULATOR_API_KEY"],
    ["adminKey", process.env["DBCLOUD_EMULATOR_ADMIN_KEY"] || undefined, "DBCLOUD_EMULATOR_ADMIN_KEY"],
    ["projectId", values.project, "--project"],
    ["data", values.data, "--data"],
  ] as const;
  for (const [name, value, from] of texts)
    if (value !== undefined) options[name] = required(from, optionShapes[name], value);
  // A data folder keeps the seed that it was made with.
  if (values.seed !== undefined || values.data === undefined) options.seed = number("seed", 1);
  return { options, isQuiet: values.quiet ?? false };
}

function jsonOf(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`--${flag} takes JSON, not "${text}"`, { cause: error });
  }
}
