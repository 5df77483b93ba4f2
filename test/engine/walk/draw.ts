// What a walk does next: weighted choices from what the programs say and the states hold. The weights lean towards what
// has cost databases: dependents that leave the program, replacements by force, protection, two entries for one object.

import type { Values } from "../../../provider/domain/values/value";
import type { Random } from "../../support/random";
import type { Entry, Flag, Options, Spec, StackName, Step, Verb } from "./model";

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

type Table<T> = readonly (readonly [weight: number, T])[];

function choose<T>(random: Random, table: Table<T>): T {
  let left = random.next() * table.reduce((sum, [weight]) => sum + weight, 0);
  return (table.find(([weight]) => (left -= weight) < 0) ?? table[0])?.[1] as T;
}

/** The first program, and the `up` that makes it. */
export function drawFirst(view: View): Step[] {
  let specs: Spec[] = [];
  for (let count = 2 + view.random.below(3); count > 0; count -= 1) specs = added(view, specs, "dev");
  return [
    { do: "program", stack: "dev", specs },
    { do: "up", stack: "dev", flags: [] },
  ];
}

export function drawSteps(view: View): Step[] {
  const { random, entries } = view;
  const stack: StackName = random.isLucky(0.15) ? "other" : "dev";
  const step = choose<() => Step[]>(random, [
    [34, () => [...edited(view, stack), ...(random.isLucky(0.3) ? edited(view, stack) : []), command(view, stack, "up")]],
    [16, () => [command(view, stack, "up")]],
    [17, () => [command(view, stack, "destroy")]],
    [7, () => [command(view, stack, "refresh")]],
    [26, () => stateStep(view, stack)],
    [10, () => [...consoleStep(view, stack), ...(random.isLucky(0.4) ? [command(view, stack, "refresh")] : [])]],
    [5, () => importStep(view, stack)],
  ]);
  // In an empty stack only an edit leads anywhere.
  if (!entries.some((entry) => entry.stack === stack))
    return [...edited(view, stack), ...edited(view, stack), { do: "up", stack, flags: [] }];
  return step();
}

// Edits of a program.

function edited(view: View, stack: StackName): Step[] {
  const { random, programs } = view;
  const specs = programs[stack];
  const program = (next: Spec[]): Step[] => {
    programs[stack] = next;
    return [{ do: "program", stack, specs: next }];
  };
  const spec = random.pickFrom(specs);
  if (spec === undefined || (specs.length < 5 && random.isLucky(0.15))) return program(added(view, specs, stack));
  const change = (changed: Partial<Spec>): Step[] =>
    program(specs.map((one) => (one === spec ? { ...one, ...changed } : one)));
  return choose<() => Step[]>(random, [
    [22, () => program(without(specs, chosenToGo(view, specs)))],
    [16, () => change({ args: changedArgs(view, spec) })],
    [22, () => change({ opts: changedOptions(view, spec, specs) })],
    [8, () => program(renamed(view, specs, spec, stack, true))],
    [9, () => program(renamed(view, specs, spec, stack, false))],
    [6, () => adoption(view, stack, program)],
    [5, () => program([...specs.filter((one) => one !== spec), spec].filter(isAfterItsSource))],
  ])();
}

/** More often a resource that another one is the source of, or that has one: that is where the engine's rules differ. */
function chosenToGo({ random }: View, specs: Spec[]): Spec {
  const related = specs.filter(({ name, of }) => of !== undefined || specs.some((one) => one.of === name));
  return random.pick(related.length > 0 && random.isLucky(0.6) ? related : specs);
}

/** What cannot be without it goes with it, and the others do without. */
function without(specs: Spec[], gone: Spec): Spec[] {
  const needsIt = ({ kind, of }: Spec): boolean => of === gone.name && (kind === "peering" || kind === "readReplicaSet");
  return specs
    .filter((one) => one !== gone && !needsIt(one))
    .map(({ of, ...one }) => (of === undefined || of === gone.name ? one : { ...one, of }));
}

function isAfterItsSource({ of }: Spec, index: number, specs: Spec[]): boolean {
  return of === undefined || specs.findIndex(({ name }) => name === of) < index;
}

function renamed({ random, next, entries }: View, specs: Spec[], spec: Spec, stack: StackName, isAliased: boolean) {
  const name = `${spec.name.replace(/\d+$/, "")}${next()}`;
  const opts: Options = { ...spec.opts };
  if (isAliased) opts.aliases = [{ name: spec.name }];
  else delete opts.aliases;
  const isThere = entries.some((entry) => entry.name === spec.name && entry.stack === stack);
  const adoptId = !isAliased && isThere && random.isLucky(0.4) ? { adoptId: `@${stack}/${spec.name}` } : {};
  const keepsName = random.isLucky(0.5) ? { name: `${spec.name}-${stack}` } : {};
  const args = { ...spec.args, ...(spec.kind === "peering" || spec.kind === "key" ? {} : keepsName), ...adoptId };
  const repointed = (opt: Options): Options => ({
    ...opt,
    ...(opt.dependsOn === spec.name ? { dependsOn: name } : {}),
    ...(opt.deletedWith === spec.name ? { deletedWith: name } : {}),
  });
  return specs.map((one) => {
    if (one === spec) return { ...spec, name, args: spec.kind === "key" ? spec.args : args, opts };
    return { ...one, ...(one.of === spec.name ? { of: name } : {}), opts: repointed(one.opts) };
  });
}

/** Adopts what somebody made in the console, or what the other stack has. */
function adoption({ random, next, entries }: View, stack: StackName, program: (specs: Spec[]) => Step[]): Step[] {
  const name = `db${next()}`;
  const theirs = random.pickFrom(entries.filter((entry) => entry.stack !== stack && entry.kind === "service"));
  const isTheirs = theirs !== undefined && random.isLucky(0.4);
  const adoptId = isTheirs ? `@${theirs.stack}/${theirs.name}` : `@console/${name}`;
  const made: Step[] = isTheirs ? [] : [{ do: "console", what: "create", name }];
  return [...made, ...program([{ name, kind: "service", args: { ...SMALL, adoptId }, opts: {} }])];
}

const SMALL = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
const LARGE = { cpuMillis: 1000, memoryGbs: 4 } as const;

function added(view: View, specs: Spec[], stack: StackName): Spec[] {
  const { random, next } = view;
  const source = (...kinds: Spec["kind"][]) => random.pickFrom(specs.filter(({ kind }) => kinds.includes(kind)))?.name;
  const [service, vpc, key] = [source("service"), source("vpc"), source("key")];
  const id = next();
  const made = choose<Omit<Spec, "opts">>(random, [
    [4, { name: `db${id}`, kind: "service", args: { ...SMALL, ...serviceArgs(random) } }],
    [service === undefined ? 0 : 5, { name: `copy${id}`, kind: "service", ...of(service), args: copyArgs(random) }],
    [service === undefined ? 0 : 4, { name: `set${id}`, kind: "readReplicaSet", ...of(service), args: setArgs() }],
    [2, { name: `net${id}`, kind: "vpc", args: { cidr: `10.${id}.0.0/24`, regionCode: "us-east-1" } }],
    [vpc === undefined ? 0 : 4, { name: `peer${id}`, kind: "peering", ...of(vpc), args: peeringArgs(id) }],
    [vpc === undefined ? 0 : 3, { name: `in${id}`, kind: "service", ...of(vpc), args: { ...SMALL, ...serviceArgs(random) } }],
    [1, { name: `key${id}`, kind: "key", args: { value: id } }],
    [key === undefined ? 0 : 6, { name: `db${id}`, kind: "service", ...of(key), args: { ...SMALL, ...serviceArgs(random) } }],
  ]);
  const spec: Spec = { ...made, opts: {} };
  const isPlain = stack === "other" || random.isLucky(0.35);
  return [...specs, isPlain ? spec : { ...spec, opts: changedOptions(view, spec, specs) }];
}

const of = (name: string | undefined): { of?: string } => (name === undefined ? {} : { of: name });
const setArgs = (): Values => ({ nodes: 1, cpuMillis: 500, memoryGbs: 2 });
const peeringArgs = (id: number): Values => ({ peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: `vpc-${id}` });

function copyArgs(random: Random): Values {
  const { cpuMillis, memoryGbs } = SMALL;
  return { cpuMillis, memoryGbs, ...serviceArgs(random) };
}

function serviceArgs(random: Random): Values {
  return {
    ...choose<Values>(random, [
      [55, {}],
      [12, { environment: "PROD" }],
      [12, { deletionProtection: true }],
      [8, { environment: "PROD", deletionProtection: false }],
      [13, { environment: "DEV" }],
    ]),
    ...(random.isLucky(0.1) ? { onDelete: "stop" } : {}),
    ...(random.isLucky(0.25) ? { allowReplace: true } : {}),
    ...(random.isLucky(0.25) ? { allowDuplicateName: true } : {}),
  };
}

function changedArgs({ random, next }: View, { kind, args, of: source }: Spec): Values {
  if (kind === "key") return { value: next() };
  if (kind === "vpc") return random.isLucky(0.5) ? { ...args, cidr: `10.${next()}.1.0/24` } : { ...args, name: `n${next()}` };
  if (kind === "peering") return { ...args, peerVpcId: `vpc-${next()}` };
  const size = args["cpuMillis"] === SMALL.cpuMillis ? LARGE : { cpuMillis: 500, memoryGbs: 2 };
  if (kind === "readReplicaSet") return { ...args, ...(random.isLucky(0.5) ? { nodes: 1 + random.below(3) } : size) };
  const { deletionProtection: _, ...unprotected } = args;
  return choose<Values>(random, [
    [5, { ...args, ...size }],
    [source === undefined ? 4 : 0, { ...args, regionCode: "eu-west-1", allowReplace: true }],
    [3, { ...args, deletionProtection: true }],
    [3, { ...args, deletionProtection: false }],
    [2, unprotected],
    [2, { ...args, environment: random.pick(["PROD", "DEV"]) }],
    [2, { ...args, name: `n${next()}` }],
    [1, { ...args, onDelete: "stop" }],
  ]);
}

/** One or two options more; what was given stays, or goes now and then. */
function changedOptions(view: View, spec: Spec, specs: Spec[]): Options {
  const { random } = view;
  const opts = random.isLucky(0.2) ? {} : { ...spec.opts };
  const before = specs.slice(0, specs.includes(spec) ? specs.indexOf(spec) : specs.length);
  const other = (spec.of ?? random.pickFrom(before)?.name);
  const input = spec.kind === "vpc" ? "name" : spec.kind === "peering" ? "peerVpcId" : "cpuMillis";
  const one = (): Options =>
    choose<Options>(random, [
      [spec.kind === "service" || spec.kind === "vpc" ? 14 : 7, { deleteBeforeReplace: true }],
      [4, { replaceOnChanges: [input] }],
      [4, { retainOnDelete: true }],
      [other === undefined ? 0 : 6, { deletedWith: other ?? "" }],
      [6, { protect: isProtectedBySelf(spec) ? false : random.isLucky(0.5) }],
      [4, { ignoreChanges: [input] }],
      [opts.parent === undefined ? 5 : 1, { parent: "group", aliases: [{ parent: "" }] }],
      [1, { parent: "group" }],
      [other === undefined ? 0 : 6, { dependsOn: other ?? "" }],
      [4, { hooks: true }],
      [4, { provider: "second" }],
    ]);
  return { ...opts, ...one(), ...(random.isLucky(0.5) ? one() : {}) };
}

/** Whether the class sets Pulumi's `protect`: without it, it is the provider's own protection that counts. */
function isProtectedBySelf({ args }: Spec): boolean {
  return args["deletionProtection"] === true || args["environment"] === "PROD";
}

// Commands, and what is done between them.

function command(view: View, stack: StackName, verb: Verb): Step {
  const { random, entries, kills } = view;
  const mine = entries.filter((entry) => entry.stack === stack);
  const flags = drawFlags(random, verb, mine.map(({ name }) => name));
  const adopted = random.pickFrom(entries);
  const adopt = verb === "up" && random.isLucky(0.12) && adopted !== undefined ? { adopt: [refer(adopted)] } : {};
  const isPlanned = flags.some(({ flag }) => flag === "--plan");
  const fate = isPlanned ? "none" : choose(random, [[kills ? 12 : 0, "kill"], [7, "faults"], [81, "none"]] as const);
  const victim = random.pick(["the CLI", "the provider process", "everything"] as const);
  if (fate === "faults") return { do: verb, stack, flags, ...adopt, faults: random.seed() };
  if (fate === "none" || verb === "refresh") return { do: verb, stack, flags, ...adopt };
  return { do: verb, stack, flags, ...adopt, kill: { victim, at: 1 + random.below(4), commits: random.isLucky(0.5) } };
}

const refer = ({ stack, name }: Entry): string => `@${stack}/${name}`;

function drawFlags(random: Random, verb: Verb, names: string[]): Flag[] {
  const name = random.pickFrom(names);
  if (name === undefined) return [];
  const also = random.isLucky(0.3) ? random.pickFrom(names) : undefined;
  const which = (flag: string): Flag[] => [name, ...(also === undefined || also === name ? [] : [also])].map((of) => ({ flag, of }));
  const scope: Table<Flag[]> = {
    up: [
      [40, []],
      [16, which("--replace")],
      [6, which("--target-replace")],
      [6, which("--target")],
      [7, [...which("--target"), { flag: "--target-dependents" }]],
      [6, which("--exclude")],
      [6, [{ flag: "--replace", of: name }, ...which("--target")]],
      [3, [{ flag: "--replace", of: name }, { flag: "--target", of: name }, { flag: "--target-dependents" }]],
    ] satisfies Table<Flag[]>,
    destroy: [
      [18, []],
      [15, which("--target")],
      [24, [...which("--target"), { flag: "--target-dependents" }]],
      [18, which("--exclude")],
      [18, [{ flag: "--exclude-protected" }]],
    ] satisfies Table<Flag[]>,
    refresh: [
      [70, []],
      [30, which("--target")],
    ] satisfies Table<Flag[]>,
  }[verb];
  const flags = [...choose(random, scope)];
  const more: Table<string> =
    verb === "up"
      ? [[7, "--refresh"], [6, "--run-program"], [6, "--continue-on-error"], [6, "--parallel 1"], [6, "--plan"]]
      : verb === "destroy"
        ? [[6, "--refresh"], [6, "--run-program"], [6, "--continue-on-error"], [6, "--parallel 1"]]
        : [[6, "--run-program"]];
  for (const share of [0.55, 0.2]) {
    const flag = choose(random, more);
    if (random.isLucky(share) && !flags.some((one) => one.flag === flag)) flags.push({ flag });
  }
  return flags;
}

function stateStep(view: View, stack: StackName): Step[] {
  const { random, entries, programs } = view;
  const mine = entries.filter((entry) => entry.stack === stack);
  const entry = random.pickFrom(mine);
  if (entry === undefined) return [command(view, stack, "up")];
  const { name } = entry;
  const after = (step: Step): Step[] => [step, command(view, stack, random.isLucky(0.75) ? "up" : "destroy")];
  const what = choose(random, [[6, "taint"], [4, "untaint"], [4, "protect"], [8, "unprotect"], [5, "delete"], [8, "move"]] as const);
  // What is tainted is seen by the next command; and only that can be taken back.
  if (what === "untaint") return [{ do: "state", stack, what: "taint", name }, ...after({ do: "state", stack, what, name })];
  if (what !== "move") return after({ do: "state", stack, what, name });
  const to: StackName = stack === "dev" ? "other" : "dev";
  const spec = programs[stack].find((one) => one.name === name);
  const steps: Step[] = [{ do: "move", stack, name }];
  if (spec !== undefined && random.isLucky(0.7)) {
    const { of: _, ...moved } = spec;
    programs[stack] = without(programs[stack], spec);
    const isPart = spec.kind === "peering" || spec.kind === "readReplicaSet";
    programs[to] = isPart ? programs[to] : [...programs[to].filter((one) => one.name !== name), { ...moved, opts: {}, args: { ...moved.args, name: `${name}-${stack}` } }];
    for (const one of [stack, to]) steps.push({ do: "program", stack: one, specs: programs[one] });
  }
  return [...steps, command(view, random.pick([stack, to]), random.isLucky(0.8) ? "up" : "destroy")];
}

function consoleStep({ random, entries }: View, stack: StackName): Step[] {
  const mine = entries.filter((entry) => entry.stack === stack);
  const service = random.pickFrom(mine.filter(({ kind }) => kind === "service"));
  const entry = random.pickFrom(mine);
  if (entry === undefined) return [];
  const what = choose(random, [[service ? 6 : 0, "tag"], [service ? 3 : 0, "untag"], [4, "delete"]] as const);
  return [{ do: "console", what, object: refer(what === "delete" ? entry : (service ?? entry)) }];
}

function importStep({ next }: View, stack: StackName): Step[] {
  const name = `found${next()}`;
  return [
    { do: "console", what: "create", name },
    { do: "import", stack, name },
    { do: "up", stack, flags: [] },
  ];
}
