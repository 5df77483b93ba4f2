// What a walk does next: weighted choices from what the programs say and the states hold. The weights lean towards what
// has cost databases: dependents that leave the program, replacements by force, protection, two entries for one object.

import { chooseOptions } from "../../invariants/operator/options";
import { add, edit, type Editing, giveName, type Weights, without } from "../../invariants/operator/edit";
import { fresh, type Program, REGIONS, SIZES } from "../../invariants/operator/program";
import { choose, createRandom, type Random, seedOf, type Turn } from "../../support/random";
import type { Entry } from "./look";
import type { Declared } from "../../invariants/operator/declared";
import type { Command, Kill, StackName, Step, Verb } from "./model";

export interface View {
  random: Random;
  programs: Record<StackName, Program>;
  /** The entries of all states that are not about to be deleted. */
  entries: Held[];
  /** Whether processes are killed, too. */
  kills: boolean;
}

export type Held = Pick<Entry, "stack" | "logical" | "kind">;

const WEIGHTS: Weights = {
  edits: `remove 20, change 10, move 2, rename 3, replace 8, drop 3, options 70, alias 14, relabel 9, order 4, key 28,
    add 14`,
  options: `deleteBeforeReplace 8, replaceOnChanges 8, retainOnDelete 11, ignoreChanges 3, ignoreChanges * 9, protect 8,
    parent 8, moved 1, hooks 10, another provider 24, replacementTrigger 5, deletedWith 13, dependsOn 12, replaceWith 13`,
};
/** Every resource costs each command time. */
const MOST_RESOURCES = 6;

export const refer = ({ stack, logical }: Held): string => `@${stack}/${logical}`;

/** How many of them a walk has. */
export const ROUNDS = 9;

/** What a walk is drawn from: even runs are of the seed, odd ones of the next. */
export function randomOf({ seed, run }: Turn): Random {
  return createRandom(seedOf(seed + (run % 2), run >> 1), { seed, run });
}

/** The steps of a round: the first makes the first program. */
export function drawRound(
  round: number,
  view: Omit<View, "programs">,
  programs: Record<StackName, Declared[]>,
): Step[] {
  // Every name is used once.
  const programOf = (stack: StackName, from: number): Program => ({
    declared: structuredClone(programs[stack]),
    names: 200 * round + from,
  });
  const whole = { ...view, programs: { dev: programOf("dev", 0), other: programOf("other", 100) } };
  return round === 0 ? drawFirst(whole) : drawSteps(whole);
}

function drawFirst({ random, programs: { dev } }: View): Step[] {
  while (dev.declared.length < 3) add({ program: dev, weights: WEIGHTS }, undefined, random);
  const [one] = dev.declared.slice(-1);
  if (one !== undefined) chooseOptions(dev, one, random, WEIGHTS.options);
  return [{ do: "program", stack: "dev", declared: dev.declared }, plain("dev")];
}

function drawSteps(view: View): Step[] {
  const { random } = view;
  const stack: StackName = random.isLucky(0.12) ? "other" : "dev";
  // In an empty stack only an edit leads anywhere.
  if (entriesOf(view, stack).length === 0) return [...edited(view, stack), ...edited(view, stack), plain(stack)];
  const edits = Number(choose(random, "2 40, 3 40, 4 20"));
  const drawn = choose(random, "edit 40, up 2, destroy 12, refresh 12, state 44, console 44, import 11, twice 6");
  switch (drawn) {
    case "edit":
      return [...Array.from({ length: edits }, () => edited(view, stack)).flat(), command(view, stack, "up")];
    case "up":
    case "destroy":
    case "refresh":
      return [command(view, stack, drawn)];
    case "state":
      return stateSteps(view, stack);
    case "console":
      return [
        ...consoleSteps(view, stack),
        command(view, stack, choose(random, "refresh 30, up 30, destroy 40") as Verb),
      ];
    case "twice":
      return twiceSteps(view, stack);
    default:
      return importSteps(view, stack);
  }
}

function edited(view: View, stack: StackName): Step[] {
  const { random, programs } = view;
  const program = programs[stack];
  if (random.isLucky(0.06)) return adopting(view, stack);
  const isFull = program.declared.length >= MOST_RESOURCES;
  const editing: Editing = {
    program,
    weights: { ...WEIGHTS, edits: isFull ? WEIGHTS.edits.replace(", add 14", "") : WEIGHTS.edits },
    isBold: true,
    isOutcomeUnknown: () => false,
    isProtected: () => false,
    idOf: (logical) =>
      entriesOf(view, stack)
        .filter((one) => one.logical === logical)
        .map(refer)[0],
  };
  edit(editing, random);
  return [{ do: "program", stack, declared: structuredClone(program.declared) }];
}

/** Adopts what somebody made in the console, or what the other stack has. */
function adopting({ random, entries, programs }: View, stack: StackName): Step[] {
  const program = programs[stack];
  const logical = fresh(program, "service");
  const theirs = random.pickFrom(entries.filter((entry) => entry.stack !== stack && entry.kind === "service"));
  const isTheirs = theirs !== undefined && random.isLucky(0.4);
  const args = { ...SIZES[0], regionCode: REGIONS[0], adoptId: isTheirs ? refer(theirs) : `@console/${logical}` };
  program.declared.push({ logical, kind: "service", args });
  const step: Step = { do: "program", stack, declared: structuredClone(program.declared) };
  return isTheirs ? [step] : [{ do: "console", what: "create", object: logical }, step];
}

const plain = (stack: StackName): Command => ({ do: "up", stack, flags: [] });

const entriesOf = ({ entries }: View, stack: StackName): Held[] => entries.filter((entry) => entry.stack === stack);

/** Flags that name resources, with weights. */
const SCOPES = {
  up: ` 32, --replace @1 13, --replace @1 --replace @2 3, --replace @1 --target @1 5, --exclude @1 8, --target @1 4,
    --target @1 --target @2 3, --target-replace @1 9, --target-replace @1 --target-dependents 6,
    --target @1 --target-dependents 7, --replace @1 --target @1 --target-dependents 2`,
  destroy: ` 10, --target @1 8, --target @1 --target @2 4, --target @1 --target-dependents 26, --exclude @1 26,
    --exclude-protected 27`,
  refresh: " 43, --target @1 57",
};

const FLAGS = {
  up: " 32, --refresh 11, --run-program 9, --continue-on-error 10, --parallel 1 10, --plan 20",
  destroy: " 15, --refresh 20, --run-program 21, --continue-on-error 22, --parallel 1 22",
  refresh: " 50, --run-program 50",
};

function command(view: View, stack: StackName, verb: Verb): Command {
  const { random, entries, kills } = view;
  const names = entriesOf(view, stack).map(({ logical }) => logical);
  const [one = "", another = ""] = [random.pickFrom(names), random.pickFrom(names)];
  const scope = one === "" ? "" : choose(random, SCOPES[verb]);
  const flags = scope.split(/ (?=--)/).filter((flag) => flag !== "" && !(flag.endsWith("@2") && one === another));
  for (const flag of [choose(random, FLAGS[verb]), ...(random.isLucky(0.5) ? [choose(random, FLAGS[verb])] : [])]) {
    // Pulumi: a plan of a part of the program fails at an alias outside of that part, whoever made the resource.
    const isWhole = !flags.some((named) => /^--(target|exclude)/.test(named));
    if (flag !== "" && !flags.includes(flag) && (flag !== "--plan" || isWhole)) flags.push(flag);
  }
  const adopted = random.isLucky(0.13) && verb === "up" ? random.pickFrom(entries) : undefined;
  const victim = choose(random, "the CLI 1, the provider process 1, everything 1") as Kill["victim"];
  const kill = { victim, at: 1 + random.below(4), commits: random.isLucky(0.5) };
  const isKillable = kills && verb !== "refresh" && !flags.includes("--plan");
  const fate = choose(random, `kill ${isKillable ? 54 : 0}, faults ${flags.includes("--plan") ? 0 : 90}, none 32`);
  return {
    do: verb,
    stack,
    flags: flags.map((flag) => flag.replace("@1", `@${one}`).replace("@2", `@${another}`)),
    ...(adopted === undefined ? {} : { adopt: refer(adopted) }),
    ...(fate === "kill" ? { kill } : {}),
    ...(fate === "faults" ? { faults: random.seed() } : {}),
  };
}

function stateSteps(view: View, stack: StackName): Step[] {
  const { random, programs } = view;
  const entries = entriesOf(view, stack);
  const [one, another] = [random.pickFrom(entries), random.pickFrom(entries)];
  const { logical = "" } = one ?? {};
  const next = (where: StackName): Step => command(view, where, choose(random, "up 55, destroy 45") as Verb);
  // Only what is tainted can be untainted.
  const edits = (entry: Held): Step[] =>
    choose(random, "taint 3, taint untaint 14, protect 13, unprotect 13, delete 13")
      .split(" ")
      .map((what): Step => ({ do: "state", stack, what, logical: entry.logical }));
  if (choose(random, "move 25, edits 75") === "edits")
    return [...new Set([one, another])]
      .flatMap((entry) => (entry === undefined ? [] : edits(entry)))
      .concat(next(stack));
  const step: Step = { do: "state", stack, what: "move", logical };
  const to: StackName = stack === "dev" ? "other" : "dev";
  const [from, target] = [programs[stack], programs[to]];
  const moved = from.declared.find((other) => other.logical === logical);
  if (moved === undefined || random.isLucky(0.3)) return [step, next(random.pick([stack, to]))];
  // The program goes along, as the user of a refactoring does it.
  from.declared = without(from.declared, moved);
  const { vpcId: _, forkFrom: __, ...args } = moved.args;
  const kept = target.declared.filter((other) => other.logical !== logical);
  const isPart = moved.kind === "peering" || moved.kind === "readReplicaSet";
  if (!isPart) target.declared = [...kept, { logical, kind: moved.kind, args }];
  const programsOf = ([stack, to] as const).map((at): Step => ({
    do: "program",
    stack: at,
    declared: programs[at].declared,
  }));
  return [step, ...programsOf, next(random.pick([stack, to]))];
}

function consoleSteps(view: View, stack: StackName): Step[] {
  const { random } = view;
  const service = random.pickFrom(entriesOf(view, stack).filter(({ kind }) => kind === "service"));
  const entry = random.pickFrom(entriesOf(view, stack));
  if (entry === undefined || service === undefined) return [];
  const seen = (what: "tag" | "untag" | "delete" | "fail" | "heal", object: string): Step => ({
    do: "console",
    what,
    object,
  });
  const part = random.pickFrom(
    entriesOf(view, stack).filter(({ kind }) => kind === "peering" || kind === "readReplicaSet"),
  );
  const what = choose(random, `tag 1, untag 2, both 14, delete 24, heal ${part === undefined ? 0 : 120}`);
  if (what === "heal" && part !== undefined)
    return [seen("fail", refer(part)), { do: "refresh", stack, flags: [] }, seen("heal", refer(part))];
  if (what === "delete") return [seen("delete", refer(entry))];
  const all = [seen("tag", refer(service)), seen("untag", refer(service))];
  return what === "both" ? all : all.filter((step) => "what" in step && step.what === what);
}

/** Two entries for one object: a resource of another name takes it over, and the old entry is left out of the run. */
function twiceSteps(view: View, stack: StackName): Step[] {
  const { random, programs } = view;
  const program = programs[stack];
  const entry = random.pickFrom(entriesOf(view, stack).filter(({ kind }) => kind === "service"));
  const target = program.declared.find(({ logical }) => logical === entry?.logical);
  if (entry === undefined || target === undefined) return [...edited(view, stack), plain(stack)];
  const { environment: _, deletionProtection: __, ...args } = target.args;
  const isProtected = random.isLucky(0.5);
  // Without Pulumi's own `protect`, and without the tag, the other entry alone protects the object.
  if (isProtected) {
    target.args = { ...args, deletionProtection: true };
    target.options = { ...target.options, protect: false };
  }
  const before = structuredClone(program.declared);
  giveName(program, target);
  target.args = { ...args, adoptId: refer(entry) };
  const next = `up 3, up --refresh 2, destroy 1, destroy --refresh ${isProtected ? 9 : 1}, destroy --exclude-protected 1`;
  const [verb = "", ...flags] = choose(random, next).split(" ");
  return [
    ...(isProtected ? [{ do: "program" as const, stack, declared: before }, plain(stack)] : []),
    { do: "program", stack, declared: program.declared },
    { do: "up", stack, flags: [`--exclude @${entry.logical}`] },
    { do: verb as Verb, stack, flags },
  ];
}

function importSteps({ programs }: View, stack: StackName): Step[] {
  const logical = fresh(programs[stack], "found");
  return [{ do: "console", what: "create", object: logical }, { do: "import", stack, logical }, plain(stack)];
}
