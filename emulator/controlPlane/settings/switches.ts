// A switch for every point on which deployments differ and the contract is silent: its default, and its form on a
// command line.

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

const peeringWords: Form<{ pending: string; active: string; failed: string }> = {
  shape: "PENDING/ACTIVE/FAILED",
  parse(text) {
    const [pending, active, failed, ...others] = text.split("/");
    return pending && active && failed && others.length === 0 ? { pending, active, failed } : undefined;
  },
};

/** `undefined`: the switch is off. */
const row = <V, D extends V | undefined>(form: Form<V>, value: D): { form: Form<V>; default: V | D } => ({
  form,
  default: value,
});

const rows = {
  /** Send `status` in a Vpc and make its creation and deletion asynchronous (202). Default false. */
  vpcStatus: row(flag, false),
  /** Status code of a change that is refused because another one runs. Default 409. */
  busyStatus: row(oneOf(409, 423), 409),
  /** Text of that refusal. Default "already being updated", after the word for the object. */
  busyText: row(anyText, "already being updated"),
  /**
   * `endpoint` in the answer of a create or fork that is still QUEUED: "whole" like the published example of a create, or
   * "absent". GET shows it only later in either case. Default "whole".
   */
  createEndpoint: row(oneOf("whole", "absent"), "whole"),
  /** "allow" accepts a change while another runs and marks it `overlapped` in the ledger. Default "refuse". */
  busy: row(oneOf("refuse", "allow"), "refuse"),
  /** What deleting a VPC with services or peerings does. Default "refuse" (409). */
  deleteVpcInUse: row(oneOf("refuse", "cascade"), "refuse"),
  /** The answer to GET of a deleted service; with "listed", lists show it as DELETED too. Default "404". */
  deletedServices: row(oneOf("404", "DELETED", "listed"), "404"),
  /** Whether a paused service can be attached and detached. Default "refuse". */
  attachPaused: row(oneOf("refuse", "allow"), "refuse"),
  /** Which of the two spellings a Service carries. Default "both". */
  vpcEndpointSpelling: row(oneOf("vpc_endpoint", "vpcEndpoint", "both"), "both"),
  /** The public `endpoint` of a service inside a VPC: left out, `{}`, or still there. Default "absent". */
  endpointInVpc: row(oneOf("absent", "empty", "kept"), "absent"),
  /** After a VPC change, this many GETs of a service answer 404 "no Endpoint for that service id exists". Default 0. */
  endpointGapReads: row(count, 0),
  /** Whether a rename changes the host. Default false. */
  renameMovesHost: row(flag, false),
  /** Which of the two spellings the log cursor has. Default "both". */
  cursorSpelling: row(oneOf("last_cursor", "lastCursor", "both"), "both"),
  /** Send structured `entries` beside `logs`. Default true. */
  logEntries: row(flag, true),
  /** The status words of peerings. Default pending, active, failed. */
  peeringWords: row(peeringWords, { pending: "pending", active: "active", failed: "failed" }),
  /** When set, new peerings fail with this text as `error_message` instead of being provisioned. Default: none. */
  peeringError: row(anyText, undefined),
  /** Answer of renameVpc. Default "message", as the contract has it; "vpc" in older deployments. */
  renameVpcAnswer: row(oneOf("message", "vpc"), "message"),
  /** Send optional fields without a value as null instead of leaving them out. Default false. */
  nullFields: row(flag, false),
  /** Add fields to every object that no document mentions. Default false. */
  unknownFields: row(flag, false),
  /** Send `data_tiering` and the exporter ids of a service. Default true. */
  tieringAndExporters: row(flag, true),
  /** Accept `Authorization: Basic` too, with an API key as the password, or as `user:password`. Default false. */
  basicAuth: row(flag, false),
  /** Leave `ha_replicas` out while there are none. Default false. */
  omitZeroHa: row(flag, false),
  /** Spelling of status words. Default "documented". */
  statusCase: row(oneOf("documented", "lower", "upper"), "documented"),
  /** "hostile": ids with slashes, spaces, dots and non-ASCII letters. Default "plain". */
  idLooks: row(oneOf("plain", "hostile"), "plain"),
  /** Answer for routes that the profile lacks: "natural" is 405 where the path exists and 404 elsewhere. Default "natural". */
  missingRoutes: row(oneOf("natural", 403, 404, 405, 501), "natural"),
  /** Body of errors. Default "full": code, message, details. */
  errorBody: row(oneOf("full", "message", "other", "html", "empty"), "full"),
  /** The suffix after the parent's name for a fork without a name. Default "-fork". */
  forkSuffix: row(anyText, "-fork"),
  /** The type name of a service with the `time-series` addon. Default "SERIESDB". */
  timeSeriesType: row(anyText, "SERIESDB"),
  /** Type of a service created without `addons`. Default "SERIESDB". */
  defaultServiceType: row(anyText, "SERIESDB"),
  /** Region of a service created without one. Default "us-east-1". */
  defaultRegion: row(anyText, "us-east-1"),
  /** The regions that services and VPCs can be in. Default: those of the vendor's two clouds; VPCs have none in `az-`. */
  regions: row(words, knownRegions),
  /** Whether a running replica set change shows as UPGRADING on its service. Default "delete" (the contract's list). */
  replicaSetOnService: row(oneOf("never", "delete", "always"), "delete"),
  /** The most HA replicas that a service can have. Default 5. */
  maxReplicaCount: row(count, 5),
  /** The largest size of a service or a replica set node. Default 128000 and 512. */
  maxCpuMillis: row(count, 128_000),
  maxMemoryGbs: row(count, 512),
  /** The most nodes that a read replica set can have. Default 10. */
  maxNodes: row(count, 10),
  /** Peerings a VPC can have. Default 50. */
  maxPeerings: row(count, 50),
  /** Services a VPC can have. Default 50. */
  maxAttached: row(count, 50),
  /** The minimum length of a password, in characters. Default 8. */
  minPasswordLength: row(count, 8),
  /** PostgreSQL servers that run at once; applies only with real servers. Default 50. */
  maxServers: row(count, 50),
};

/** Points on which deployments differ. Each default follows the contract or the most common behaviour. */
export type Switches = { [K in keyof typeof rows]: (typeof rows)[K]["default"] };

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
