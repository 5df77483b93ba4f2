// Chooses the fault of each request: added by a test, or random from a seed.

import { createRandom, type Random } from "../world/random";
import type {
  Act,
  Fault,
  FaultBeside,
  FaultHandle,
  FaultKind,
  Faults,
  FaultScope,
  MainFault,
  RandomFaults,
} from "./faults";
import type { RequestRecord } from "./requests";
import type { OperationName } from "../actions/index";

/** One `add` or `random`: decides for each request, and counts the requests that it applied to. */
interface FaultRule {
  readonly kind: FaultKind | "random";
  readonly operation?: OperationName | undefined;
  struck: number;
  choose(record: RequestRecord): Fault | undefined;
}

export type FaultRules = ReturnType<typeof createFaultRules>;

/** The faults of a request: of several that exclude each other, the one added first. */
interface ChosenFaults {
  readonly main: MainFault | undefined;
  readonly beside: readonly FaultBeside[];
}

export function createFaultRules() {
  const rules = new Map<string, FaultRule>();
  let count = 0;
  const enter = (rule: FaultRule): FaultHandle => {
    count += 1;
    const id = `fault-${count}`;
    rules.set(id, rule);
    return {
      id,
      get struck() {
        return rule.struck;
      },
      remove: () => void rules.delete(id),
    };
  };
  const faults: Faults = {
    add: (fault) => enter(scopedRule(fault)),
    random: (options) => enter(randomRule(options)),
    list: () => [...rules].map(([id, { kind, operation, struck }]) => ({ id, kind, operation, struck })),
    remove: (id) => rules.delete(id),
    clear: () => rules.clear(),
  };
  return {
    faults,
    choose: (record: RequestRecord): ChosenFaults => chooseFrom(rules.values(), record),
  };
}

function chooseFrom(rules: Iterable<FaultRule>, record: RequestRecord): ChosenFaults {
  let main: ChosenFaults["main"];
  const beside: FaultBeside[] = [];
  for (const rule of rules) {
    if (main && !isBeside(rule)) continue;
    const fault = rule.choose(record);
    if (!fault) continue;
    rule.struck += 1;
    if (isBeside(fault)) beside.push(fault);
    else main = fault;
  }
  return { main, beside };
}

const isBeside = (one: { readonly kind: string }): one is FaultBeside =>
  one.kind === "meanwhile" || one.kind === "members" || one.kind === "brownout" || one.kind === "cut";

function scopedRule(fault: FaultScope & Fault): FaultRule {
  let toSkip = fault.skip ?? 0;
  const ms = fault.kind === "brownout" || fault.kind === "lostBefore" ? fault.ms : undefined;
  let left = fault.times ?? (ms !== undefined || fault.kind === "brownout" || fault.kind === "cut" ? Infinity : 1);
  let until = Infinity;
  return {
    kind: fault.kind,
    operation: fault.operation === "*" ? undefined : fault.operation,
    struck: 0,
    choose(record) {
      const isMeant = fault.operation === undefined || fault.operation === "*" || fault.operation === record.operation;
      if (left <= 0 || !isMeant || fault.match?.(record) === false) return undefined;
      if (fault.kind === "brownout" && !isReadIn(fault.in, record)) return undefined;
      if (fault.kind === "cut" && !isReadIn("lists", record)) return undefined;
      if (toSkip > 0) {
        toSkip -= 1;
        return undefined;
      }
      if (ms !== undefined && until === Infinity) until = record.at + ms;
      if (record.at >= until) return undefined;
      left -= 1;
      return fault;
    },
  };
}

export const isReadInProject = ({ method, params }: RequestRecord): boolean =>
  method === "GET" && "project_id" in params;

export const isList = ({ operation }: RequestRecord): boolean => (operation ?? "").startsWith("list");

const isReadIn = (where: "reads" | "lists" | undefined, record: RequestRecord): boolean =>
  isReadInProject(record) && (where === undefined || isList(record) === (where === "lists"));

const usualKinds: readonly FaultKind[] = ["lostBefore", "lostAfter", "status", "html", "truncate", "garbage", "delay"];

function randomRule(options: RandomFaults): FaultRule {
  const random = createRandom(options.seed);
  const kinds = options.kinds ?? usualKinds;
  return {
    kind: "random",
    struck: 0,
    choose(record) {
      if (options.operations && (!record.operation || !options.operations.includes(record.operation))) return undefined;
      if (random() >= options.rate) return undefined;
      const kind = kinds[Math.floor(random() * kinds.length)];
      return kind && randomFault(kind, random, record);
    },
  };
}

const pick = <T>(random: Random, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0];

const brokenBodies = ["<html></html>", "{", null, [], { id: 7 }] as const;
/** Without a body, a delete counts as accepted: that is no nonsense there. */
const nonsense = ["", ...brokenBodies] as const;

/** Members that answers may leave out. */
const optional = [
  "connection_pooler",
  "endpoint",
  "ha_replicas",
  "metadata",
  "read_replica_sets",
  "vpc_endpoint",
  "provisioned_id",
] as const;

/** What somebody else may do to an object, by the parameter of the path that names it. */
const changes: Readonly<Record<string, readonly [Act, ...Act[]]>> = {
  service_id: [
    { by: "client", call: "renameService", body: { name: "theirs" } },
    { by: "client", call: "setEnvironment", body: { environment: "PROD" } },
    { by: "client", call: "resize", body: { cpu_millis: "1000", memory_gbs: "4" } },
    { by: "client", call: "stop" },
    { by: "client", call: "start" },
  ],
  vpc_id: [{ by: "client", call: "renameVpc", body: { name: "theirs" } }],
};

/** Undefined if the kind has no form for this request. */
function randomFault(kind: FaultKind, random: Random, record: RequestRecord): Fault | undefined {
  const commit = random() < 0.5;
  const isDelete = record.method === "DELETE";
  const made: Record<FaultKind, () => Fault | undefined> = {
    lostBefore: () => ({ kind: "lostBefore" }),
    lostAfter: () => ({ kind: "lostAfter" }),
    status: () => randomStatus(random, commit),
    html: () => ({ kind: "html", status: pick(random, [502, 503, 504]), commit }),
    truncate: () => ({ kind: "truncate", commit }),
    stall: () => ({ kind: "stall", commit }),
    garbage: () => ({ kind: "garbage", body: pick<unknown>(random, isDelete ? brokenBodies : nonsense), commit }),
    delay: () => ({ kind: "delay", ms: Math.floor(random() * 20) }),
    stuck: () => ({
      kind: "stuck",
      status: pick(random, ["UNSTABLE", "REBALANCING"]),
      reads: 1 + Math.floor(random() * 4),
    }),
    meanwhile() {
      const acts = changes[Object.keys(record.params).find((name) => name in changes) ?? ""];
      return acts && { kind: "meanwhile", when: commit ? "after" : "before", act: pick(random, acts) };
    },
    members: () => ({
      kind: "members",
      members: { [pick(random, optional)]: pick(random, ["absent", "null", "zero"]) },
    }),
    brownout: () => (isReadInProject(record) ? { kind: "brownout" } : undefined),
    cut() {
      if (!isReadIn("lists", record)) return undefined;
      const next = pick(random, [undefined, "header", "member"] as const);
      return { kind: "cut", rows: Math.floor(random() * 3), ...(next && { next }) };
    },
  };
  return made[kind]();
}

/** API: 429 means that nothing happened; a 5xx may come after the work was done. */
function randomStatus(random: Random, commit: boolean): MainFault {
  const status = pick(random, [429, 500, 502, 503, 504]);
  if (status !== 429) return { kind: "status", status, commit };
  return { kind: "status", status, headers: random() < 0.5 ? { "Retry-After": "0" } : {} };
}
