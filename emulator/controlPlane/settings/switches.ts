// A switch for every point on which deployments differ and the contract is silent: its default, and its form on a
// command line.

/** Points on which deployments differ. Each default follows the contract or the most common behaviour. */
export interface Switches {
  /** Send `status` in a Vpc and make its creation and deletion asynchronous (202). Default false. */
  vpcStatus: boolean;
  /** Status code of a change that is refused because another one runs. Default 409. */
  busyStatus: 409 | 423;
  /** Text of that refusal. Default "already being updated", after the word for the object. */
  busyText: string;
  /**
   * `endpoint` in the answer of a create or fork that is still QUEUED: "whole" like the published example of a create, or
   * "absent". GET shows it only later in either case. Default "whole".
   */
  createEndpoint: "whole" | "absent";
  /** "allow" accepts a change while another runs and marks it `overlapped` in the ledger. Default "refuse". */
  busy: "refuse" | "allow";
  /** What deleting a VPC with services or peerings does. Default "refuse" (409). */
  deleteVpcInUse: "refuse" | "cascade";
  /** The answer to GET of a deleted service; with "listed", lists show it as DELETED too. Default "404". */
  deletedServices: "404" | "DELETED" | "listed";
  /** Whether a paused service can be attached and detached. Default "refuse". */
  attachPaused: "refuse" | "allow";
  /** Which of the two spellings a Service carries. Default "both". */
  vpcEndpointSpelling: "vpc_endpoint" | "vpcEndpoint" | "both";
  /** The public `endpoint` of a service inside a VPC: left out, `{}`, or still there. Default "absent". */
  endpointInVpc: "absent" | "empty" | "kept";
  /** After a VPC change, this many GETs of a service answer 404 "no Endpoint for that service id exists". Default 0. */
  endpointGapReads: number;
  /** Whether a rename changes the host. Default false. */
  renameMovesHost: boolean;
  /** Which of the two spellings the log cursor has. Default "both". */
  cursorSpelling: "last_cursor" | "lastCursor" | "both";
  /** Send structured `entries` beside `logs`. Default true. */
  logEntries: boolean;
  /** The status words of peerings. Default pending, active, failed. */
  peeringWords: { pending: string; active: string; failed: string };
  /** When set, new peerings fail with this text as `error_message` instead of being provisioned. Default: none. */
  peeringError: string | undefined;
  /** Answer of renameVpc. Default "message", as the contract has it; "vpc" in older deployments. */
  renameVpcAnswer: "message" | "vpc";
  /** Send optional fields without a value as null instead of leaving them out. Default false. */
  nullFields: boolean;
  /** Add fields to every object that no document mentions. Default false. */
  unknownFields: boolean;
  /** Send `data_tiering` and the exporter ids of a service. Default true. */
  tieringAndExporters: boolean;
  /** Accept `Authorization: Basic` too, with an API key as the password, or as `user:password`. Default false. */
  basicAuth: boolean;
  /** Leave `ha_replicas` out while there are none. Default false. */
  omitZeroHa: boolean;
  /** Spelling of status words. Default "documented". */
  statusCase: "documented" | "lower" | "upper";
  /** "hostile": ids with slashes, spaces, dots and non-ASCII letters. Default "plain". */
  idLooks: "plain" | "hostile";
  /** Answer for routes that the profile lacks: "natural" is 405 where the path exists and 404 elsewhere. Default "natural". */
  missingRoutes: "natural" | 403 | 404 | 405 | 501;
  /** Body of errors. Default "full": code, message, details. */
  errorBody: "full" | "message" | "other" | "html" | "empty";
  /** The suffix after the parent's name for a fork without a name. Default "-fork". */
  forkSuffix: string;
  /** The type name of a service with the `time-series` addon. Default "SERIESDB". */
  timeSeriesType: string;
  /** Type of a service created without `addons`. Default "SERIESDB". */
  defaultServiceType: string;
  /** Region of a service created without one. Default "us-east-1". */
  defaultRegion: string;
  /** The regions that services and VPCs can be in. Default: those of the vendor's two clouds; VPCs have none in `az-`. */
  regions: readonly string[];
  /** Whether a running replica set change shows as UPGRADING on its service. Default "delete" (the contract's list). */
  replicaSetOnService: "never" | "delete" | "always";
  /** The most HA replicas that a service can have. Default 5. */
  maxReplicaCount: number;
  /** The largest size of a service or a replica set node. Default 128000 and 512. */
  maxCpuMillis: number;
  maxMemoryGbs: number;
  /** The most nodes that a read replica set can have. Default 10. */
  maxNodes: number;
  /** Peerings a VPC can have. Default 50. */
  maxPeerings: number;
  /** Services a VPC can have. Default 50. */
  maxAttached: number;
  /** The minimum length of a password, in characters. Default 8. */
  minPasswordLength: number;
  /** PostgreSQL servers that run at once; applies only with real servers. Default 50. */
  maxServers: number;
}

interface Form<V> {
  /** The allowed values, for the help text. */
  readonly shape: string;
  /** Undefined if the text is not an allowed value. */
  parse(text: string): V | undefined;
}

const oneOf = <const V extends readonly (string | number | boolean)[]>(...values: V): Form<V[number]> => ({
  shape: values.join("|"),
  parse: (text) => values.find((value) => String(value) === text),
});

const flag: Form<boolean> = oneOf(true, false);
const anyText: Form<string> = { shape: "TEXT", parse: (text) => text };
const count: Form<number> = { shape: "N", parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined) };

const words: Form<readonly string[]> = {
  shape: "WORD,WORD…",
  parse: (text) => (text.split(",").every((word) => /^[\w-]+$/.test(word)) ? text.split(",") : undefined),
};

const knownRegions: readonly string[] = [
  "us-east-1",
  "us-east-2",
  "us-west-2",
  "ca-central-1",
  "eu-central-1",
  "eu-west-1",
  "eu-west-2",
  "ap-northeast-1",
  "ap-south-1",
  "ap-southeast-1",
  "ap-southeast-2",
  "sa-east-1",
  "az-eastus",
  "az-eastus2",
  "az-westeurope",
];

const peeringWords: Form<Switches["peeringWords"]> = {
  shape: "PENDING/ACTIVE/FAILED",
  parse(text) {
    const [pending, active, failed, ...others] = text.split("/");
    return pending && active && failed && others.length === 0 ? { pending, active, failed } : undefined;
  },
};

interface Row<V> {
  readonly form: Form<V>;
  readonly default: V;
}

/** `undefined`: the switch is off. */
const row = <V, D extends V | undefined>(form: Form<V>, value: D) => ({ form, default: value });

const rows: { readonly [K in keyof Switches]: Row<Switches[K]> } = {
  vpcStatus: row(flag, false),
  busyStatus: row(oneOf(409, 423), 409),
  busyText: row(anyText, "already being updated"),
  createEndpoint: row(oneOf("whole", "absent"), "whole"),
  busy: row(oneOf("refuse", "allow"), "refuse"),
  deleteVpcInUse: row(oneOf("refuse", "cascade"), "refuse"),
  deletedServices: row(oneOf("404", "DELETED", "listed"), "404"),
  attachPaused: row(oneOf("refuse", "allow"), "refuse"),
  vpcEndpointSpelling: row(oneOf("vpc_endpoint", "vpcEndpoint", "both"), "both"),
  endpointInVpc: row(oneOf("absent", "empty", "kept"), "absent"),
  endpointGapReads: row(count, 0),
  renameMovesHost: row(flag, false),
  cursorSpelling: row(oneOf("last_cursor", "lastCursor", "both"), "both"),
  logEntries: row(flag, true),
  peeringWords: row(peeringWords, { pending: "pending", active: "active", failed: "failed" }),
  peeringError: row(anyText, undefined),
  renameVpcAnswer: row(oneOf("message", "vpc"), "message"),
  nullFields: row(flag, false),
  unknownFields: row(flag, false),
  tieringAndExporters: row(flag, true),
  basicAuth: row(flag, false),
  omitZeroHa: row(flag, false),
  statusCase: row(oneOf("documented", "lower", "upper"), "documented"),
  idLooks: row(oneOf("plain", "hostile"), "plain"),
  missingRoutes: row(oneOf("natural", 403, 404, 405, 501), "natural"),
  errorBody: row(oneOf("full", "message", "other", "html", "empty"), "full"),
  forkSuffix: row(anyText, "-fork"),
  timeSeriesType: row(anyText, "SERIESDB"),
  defaultServiceType: row(anyText, "SERIESDB"),
  defaultRegion: row(anyText, "us-east-1"),
  regions: row(words, knownRegions),
  replicaSetOnService: row(oneOf("never", "delete", "always"), "delete"),
  maxReplicaCount: row(count, 5),
  maxCpuMillis: row(count, 128_000),
  maxMemoryGbs: row(count, 512),
  maxNodes: row(count, 10),
  maxPeerings: row(count, 50),
  maxAttached: row(count, 50),
  minPasswordLength: row(count, 8),
  maxServers: row(count, 50),
};

export const defaultSwitches = Object.fromEntries(
  Object.entries(rows).map(([name, one]) => [name, one.default]),
) as object as Switches;

export const switchNames = Object.keys(rows);

export const isSwitch = (name: string): name is keyof Switches => Object.hasOwn(rows, name);

/** Parses `NAME=VALUE`. Throws an Error that lists what is allowed. */
export function parseSwitch(given: string): Partial<Switches> {
  const at = given.indexOf("=");
  const name = given.slice(0, at);
  if (at < 0 && isSwitch(given)) throw new Error(`${given} needs a value: ${given}=${rows[given].form.shape}`);
  if (at < 0 || !isSwitch(name))
    throw new Error(`wants NAME=VALUE with a NAME of ${switchNames.join(", ")}; not "${given}"`);
  const value = rows[name].form.parse(given.slice(at + 1));
  if (value === undefined) throw new Error(`${name} wants ${rows[name].form.shape}, not "${given.slice(at + 1)}"`);
  return { [name]: value };
}

/** One line per switch: `NAME=` and its allowed values. */
export function switchHelp(): string[] {
  return Object.entries(rows).map(([name, { form }]) => `${name}=${form.shape}`);
}
