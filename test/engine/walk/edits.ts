// Random edits of a program: resources that come, go, get another name, other inputs or other options.

import type { Values } from "../../../provider/domain/values/value";
import type { Random } from "../../support/random";
import type { Entry } from "./look";
import type { Options, Spec, StackName, Step } from "./model";

export interface View {
  random: Random;
  programs: Record<StackName, Spec[]>;
  /** The entries of all states that are not about to be deleted. */
  entries: Entry[];
  /** A number that no name has yet. */
  next: () => number;
  /** Whether processes are killed, too. */
  kills: boolean;
}

/** One of the words, each of which has its weight behind it: `up 15, destroy 19`. */
export function choose(random: Random, weighted: string): string {
  const table = weighted
    .split(/,\s+/)
    .map((one) => [one.replace(/ ?\S+$/, ""), Number(/\S+$/.exec(one)?.[0])] as const);
  let left = random.next() * table.reduce((sum, [, weight]) => sum + weight, 0);
  return (table.find(([, weight]) => (left -= weight) < 0) ?? table[0])?.[0] ?? "";
}

const has = (name: string, weight: number): number => (name === "" ? 0 : weight);

export const refer = ({ stack, name }: Entry): string => `@${stack}/${name}`;

export function edited(view: View, stack: StackName): Step[] {
  const { random, programs } = view;
  const specs = programs[stack];
  const spec = random.pickFrom(specs);
  const change = (changed: Partial<Spec>): Spec[] => specs.map((one) => (one === spec ? { ...one, ...changed } : one));
  const kinds = `remove 22, args 16, opts 24, alias 8, rename 9, adopt 6, order 4, add ${specs.length < 5 ? 18 : 0}`;
  const edit = spec === undefined ? "add" : choose(random, kinds);
  if (edit === "adopt") return adopted(view, stack);
  if (spec === undefined || edit === "add") added(view, stack);
  else if (edit === "remove") programs[stack] = without(specs, chosenToGo(view, specs));
  else if (edit === "args") programs[stack] = change({ args: changedArgs(view, spec) });
  else if (edit === "opts") programs[stack] = change({ opts: changedOptions(view, spec, specs) });
  else if (edit === "order") programs[stack] = [...specs.filter((one) => one !== spec), spec].filter(isAfterItsSource);
  else {
    const entry = view.entries.find(({ name, stack: its }) => name === spec.name && its === stack);
    const taken = entry !== undefined && random.isLucky(0.4) ? { adoptId: refer(entry) } : {};
    programs[stack] = renamed(view, spec, stack, edit === "alias" ? { alias: true } : taken);
  }
  return [{ do: "program", stack, specs: programs[stack] }];
}

/** More often a resource that another one is the source of, or that has one: that is where the engine's rules differ. */
function chosenToGo({ random }: View, specs: Spec[]): Spec {
  const related = specs.filter(({ name, of }) => of !== undefined || specs.some((one) => one.of === name));
  return random.pick(related.length > 0 && random.isLucky(0.6) ? related : specs);
}

/** What cannot be without it goes with it, and the others do without. */
export function without(specs: Spec[], gone: Spec): Spec[] {
  const isPart = ({ kind, of }: Spec): boolean => of === gone.name && (kind === "peering" || kind === "readReplicaSet");
  const left = specs.filter((one) => one !== gone && !isPart(one));
  return left.map(({ of, ...one }) => (of === undefined || of === gone.name ? one : { ...one, of }));
}

function isAfterItsSource({ of }: Spec, index: number, specs: Spec[]): boolean {
  return of === undefined || specs.findIndex(({ name }) => name === of) < index;
}

export function renamed(
  { random, next, programs }: View,
  spec: Spec,
  stack: StackName,
  by: { alias: true } | { adoptId?: string },
): Spec[] {
  const name = `${spec.name.replace(/\d+$/, "")}${next()}`;
  const { aliases: _, ...opts } = spec.opts;
  const keptName = spec.kind !== "peering" && random.isLucky(0.5) ? { name: `${spec.name}-${stack}` } : {};
  const isAliased = "alias" in by;
  const args = spec.kind === "key" ? spec.args : { ...spec.args, ...keptName, ...(isAliased ? {} : by) };
  const follow = (one: string | undefined): string | undefined => (one === spec.name ? name : one);
  return programs[stack].map((one) => {
    if (one.name === spec.name)
      return { ...spec, name, args, opts: isAliased ? { ...opts, aliases: [{ name: spec.name }] } : opts };
    const { dependsOn, deletedWith, replaceWith } = one.opts;
    const links = compact({
      dependsOn: follow(dependsOn),
      deletedWith: follow(deletedWith),
      replaceWith: follow(replaceWith),
    });
    return { ...one, ...compact({ of: follow(one.of) }), opts: { ...one.opts, ...links } };
  });
}

function compact<K extends string>(values: Record<K, string | undefined>): Partial<Record<K, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<K, string>
  >;
}

/** Adopts what somebody made in the console, or what the other stack has. */
function adopted({ random, next, entries, programs }: View, stack: StackName): Step[] {
  const name = `db${next()}`;
  const theirs = random.pickFrom(entries.filter((entry) => entry.stack !== stack && entry.kind === "service"));
  const isTheirs = theirs !== undefined && random.isLucky(0.4);
  const args = { ...SMALL, adoptId: isTheirs ? refer(theirs) : `@console/${name}` };
  programs[stack] = [...programs[stack], { name, kind: "service", args, opts: {} }];
  const program: Step = { do: "program", stack, specs: programs[stack] };
  return isTheirs ? [program] : [{ do: "console", what: "create", object: name }, program];
}

const SMALL = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 };
const LARGE = { cpuMillis: 1000, memoryGbs: 4 };

/** Adds a resource to the program of a stack, most often one that depends on another. */
export function added(view: View, stack: StackName): void {
  const { random, next, programs } = view;
  const specs = programs[stack];
  const source = (kind: Spec["kind"]): string => random.pickFrom(specs.filter((one) => one.kind === kind))?.name ?? "";
  const [service, vpc, key, id] = [source("service"), source("vpc"), source("key"), next()];
  const ofService = `copy ${has(service, 5)}, set ${has(service, 4)}`;
  const ofOthers = `peer ${has(vpc, 4)}, in ${has(vpc, 3)}, with ${has(key, 6)}`;
  const role = choose(random, `db 4, net 2, key 1, ${ofService}, ${ofOthers}`);
  const { regionCode: _, ...size } = SMALL;
  const peer = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: `vpc-${id}` };
  const made: Record<string, Omit<Spec, "name" | "opts">> = {
    db: { kind: "service", args: { ...SMALL, ...serviceArgs(random) } },
    copy: { kind: "service", of: service, args: { ...size, ...serviceArgs(random) } },
    set: { kind: "readReplicaSet", of: service, args: { nodes: 1, ...size } },
    net: { kind: "vpc", args: { cidr: `10.${id}.0.0/24`, regionCode: "us-east-1" } },
    peer: { kind: "peering", of: vpc, args: peer },
    in: { kind: "service", of: vpc, args: { ...SMALL, ...serviceArgs(random) } },
    key: { kind: "key", args: { value: id } },
    with: { kind: "service", of: key, args: { ...SMALL, ...serviceArgs(random) } },
  };
  const spec = { name: `${role}${id}`, opts: {}, ...made[role] } as Spec;
  const isPlain = stack === "other" || random.isLucky(0.35);
  programs[stack] = [...specs, isPlain ? spec : { ...spec, opts: changedOptions(view, spec, specs) }];
}

function serviceArgs(random: Random): Values {
  const protections: Record<string, Values> = {
    none: {},
    PROD: { environment: "PROD" },
    flag: { deletionProtection: true },
    off: { environment: "PROD", deletionProtection: false },
    DEV: { environment: "DEV" },
  };
  return {
    ...protections[choose(random, "none 55, PROD 12, flag 12, off 8, DEV 13")],
    ...(random.isLucky(0.1) ? { onDelete: "stop" } : {}),
    ...(random.isLucky(0.25) ? { allowReplace: true } : {}),
    ...(random.isLucky(0.25) ? { allowDuplicateName: true } : {}),
  };
}

function changedArgs({ random, next }: View, { kind, args, of }: Spec): Values {
  const id = next();
  if (kind === "key") return { value: id };
  if (kind === "vpc") return { ...args, ...(random.isLucky(0.5) ? { cidr: `10.${id}.1.0/24` } : { name: `n${id}` }) };
  if (kind === "peering") return { ...args, peerVpcId: `vpc-${id}` };
  const size = args["cpuMillis"] === LARGE.cpuMillis ? { cpuMillis: 500, memoryGbs: 2 } : LARGE;
  if (kind === "readReplicaSet") return { ...args, ...(random.isLucky(0.5) ? { nodes: 1 + random.below(3) } : size) };
  const changes: Record<string, Values> = {
    size,
    region: { regionCode: "eu-west-1", allowReplace: true },
    on: { deletionProtection: true },
    off: { deletionProtection: false },
    tag: { environment: random.pick(["PROD", "DEV"]) },
    name: { name: `n${id}` },
    stop: { onDelete: "stop" },
  };
  const weights = `size 5, region ${of === undefined ? 4 : 0}, on 3, off 4, tag 2, name 2, stop 1`;
  return { ...args, ...changes[choose(random, weights)] };
}

/** One or two options more; what was given stays, or goes now and then. */
function changedOptions({ random, next }: View, spec: Spec, specs: Spec[]): Options {
  const before = specs.slice(0, specs.includes(spec) ? specs.indexOf(spec) : specs.length);
  const other = spec.of ?? random.pickFrom(before)?.name ?? "";
  const input = { vpc: "name", peering: "peerVpcId", key: "value", service: "cpuMillis", readReplicaSet: "cpuMillis" }[
    spec.kind
  ];
  // Without Pulumi's own `protect`, which the class sets for these, the provider's protection counts.
  const isProtected = spec.args["deletionProtection"] === true || spec.args["environment"] === "PROD";
  const options: Record<string, Options> = {
    deleteBeforeReplace: { deleteBeforeReplace: true },
    replaceOnChanges: { replaceOnChanges: [input] },
    retainOnDelete: { retainOnDelete: true },
    deletedWith: { deletedWith: other },
    protect: { protect: isProtected ? false : random.isLucky(0.5) },
    ignoreChanges: { ignoreChanges: [random.isLucky(0.5) ? "*" : input] },
    replacementTrigger: { replacementTrigger: next() },
    replaceWith: { replaceWith: other },
    parent: { parent: "group", aliases: [{ parent: "" }] },
    moved: { parent: "group" },
    dependsOn: { dependsOn: other },
    hooks: { hooks: true },
    provider: { provider: random.pick(["second", "third"]) },
  };
  const isReplaced = spec.kind === "service" || spec.kind === "vpc";
  const links = `deletedWith ${has(other, 6)}, dependsOn ${has(other, 6)}, replaceWith ${has(other, 6)}`;
  const weights = `deleteBeforeReplace ${isReplaced ? 12 : 6}, replaceOnChanges 4, retainOnDelete 4, ignoreChanges 4,
    protect ${isProtected ? 12 : 5}, parent 5, moved 1, hooks 4, provider 6, replacementTrigger 6, ${links}`;
  const also = random.isLucky(0.5) ? options[choose(random, weights)] : {};
  const drawn = { ...(random.isLucky(0.2) ? {} : spec.opts), ...options[choose(random, weights)], ...also };
  const { retainOnDelete: _, ...deleted } = drawn;
  // The class refuses the two together.
  return drawn.deleteBeforeReplace === true ? deleted : drawn;
}
