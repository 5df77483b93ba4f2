// What a walk does next: weighted choices from what the programs say and the states hold. The weights lean towards what
// has cost databases: dependents that leave the program, replacements by force, protection, two entries for one object.

import { add, edit, type Editing, giveName, type Weights, without } from "../../invariants/operator/edit";
import { fresh, type Program, REGIONS, SIZES } from "../../invariants/operator/program";
import { choose, type Random } from "../../support/random";
import type { Entry } from "./look";
import type { Command, Kill, StackName, Step, Verb } from "./model";

export interface View {
  random: Random;
  programs: Record<StackName, Program>;
  /** The entries of all states that are not about to be deleted. */
  entries: Entry[];
  /** Whether processes are killed, too. */
  kills: boolean;
}

const WEIGHTS: Weights = {
  edits: `remove 20, change 10, move 2, rename 3, replace 8, drop 3, options 26, alias 8, relabel 9, order 4, key 14,
    duplicate 3, add 14`,
  options: `deleteBeforeReplace 9, replaceOnChanges 6, retainOnDelete 7, ignoreChanges 2, ignoreChanges * 5, protect 7,
    parent 5, moved 1, hooks 6, provider 18, replacementTrigger 6, deletedWith 6, dependsOn 10, replaceWith 6`,
};
/** Every resource costs each command time. */
const MOST_RESOURCES = 6;

export const refer = ({ stack, logical }: Entry): string => `@${stack}/${logical}`;

/** The first program, and the `up` that makes it. */
export function drawFirst({ random, programs: { dev } }: View): Step[] {
  while (dev.declared.length < 3) add({ program: dev, weights: WEIGHTS }, undefined, random);
  return [{ do: "program", stack: "dev", declared: dev.declared }, plain("dev")];
}

export function drawSteps(view: View): Step[] {
  const { random } = view;
  const stack: StackName = random.isLucky(0.12) ? "other" : "dev";
  // In an empty stack only an edit leads anywhere.
  if (entriesOf(view, stack).length === 0) return [...edited(view, stack), ...edited(view, stack), plain(stack)];
  const again = random.isLucky(0.3) ? 2 : 1;
  switch (choose(random, "edit 36, up 15, destroy 20, refresh 8, state 34, console 16, import 6, twice 8")) {
    case "edit":
      return [...Array.from({ length: again }, () => edited(view, stack)).flat(), command(view, stack, "up")];
    case "up":
      return [command(view, stack, "up")];
    case "destroy":
      return [command(view, stack, "destroy")];
    case "refresh":
      return [command(view, stack, "refresh")];
    case "state":
      return stateSteps(view, stack);
    case "console":
      return [...consoleSteps(view, stack), command(view, stack, random.pick(["refresh", "up", "destroy"]))];
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

const entriesOf = ({ entries }: View, stack: StackName): Entry[] => entries.filter((entry) => entry.stack === stack);

/** Flags that name resources, with weights. */
const SCOPES = {
  up: ` 40, --replace @1 14, --replace @1 --replace @2 3, --replace @1 --target @1 5, --exclude @1 6, --target @1 4,
    --target @1 --target @2 3, --target-replace @1 5, --target-replace @1 --target-dependents 3,
    --target @1 --target-dependents 6, --replace @1 --target @1 --target-dependents 2`,
  destroy: ` 18, --target @1 12, --target @1 --target @2 4, --target @1 --target-dependents 24, --exclude @1 25,
    --exclude-protected 20`,
  refresh: " 50, --target @1 50",
};

const FLAGS = {
  up: "--refresh 7, --run-program 6, --continue-on-error 6, --parallel 1 6, --plan 8",
  destroy: "--refresh 6, --run-program 9, --continue-on-error 6, --parallel 1 6",
  refresh: "--run-program 1",
};

function command(view: View, stack: StackName, verb: Verb): Command {
  const { random, entries, kills } = view;
  const names = entriesOf(view, stack).map(({ logical }) => logical);
  const [one = "", another = ""] = [random.pickFrom(names), random.pickFrom(names)];
  const scope = one === "" ? "" : choose(random, SCOPES[verb]);
  const flags = scope.split(/ (?=--)/).filter((flag) => flag !== "" && !(flag.endsWith("@2") && one === another));
  for (const share of [0.55, 0.2]) {
    const flag = choose(random, FLAGS[verb]);
    // Pulumi: a plan of a part of the program fails at an alias outside of that part, whoever made the resource.
    const isWhole = !flags.some((named) => /^--(target|exclude)/.test(named));
    if (random.isLucky(share) && !flags.includes(flag) && (flag !== "--plan" || isWhole)) flags.push(flag);
  }
  const adopted = random.isLucky(0.13) && verb === "up" ? random.pickFrom(entries) : undefined;
  const victim = choose(random, "the CLI 5, the provider process 5, everything 4") as Kill["victim"];
  const kill = { victim, at: 1 + random.below(4), commits: random.isLucky(0.5) };
  const isKillable = kills && verb !== "refresh" && !flags.includes("--plan");
  const fate = choose(random, `kill ${isKillable ? 21 : 0}, faults ${flags.includes("--plan") ? 0 : 60}, none 40`);
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
  const logical = random.pickFrom(entriesOf(view, stack))?.logical ?? "";
  const what = choose(random, "taint 4, untaint 11, protect 12, unprotect 12, delete 10, move 9");
  const step: Step = { do: "state", stack, what, logical };
  const next = (where: StackName): Step => command(view, where, random.isLucky(0.75) ? "up" : "destroy");
  // Only what is tainted can be untainted.
  if (what === "untaint") return [{ ...step, what: "taint" }, step, next(stack)];
  if (what !== "move") return [step, next(stack)];
  const to: StackName = stack === "dev" ? "other" : "dev";
  const [from, target] = [programs[stack], programs[to]];
  const moved = from.declared.find((one) => one.logical === logical);
  if (moved === undefined || random.isLucky(0.3)) return [step, next(random.pick([stack, to]))];
  // The program goes along, as the user of a refactoring does it.
  from.declared = without(from.declared, moved);
  const { vpcId: _, forkFrom: __, ...args } = moved.args;
  const others = target.declared.filter((one) => one.logical !== logical);
  const isPart = moved.kind === "peering" || moved.kind === "readReplicaSet";
  if (!isPart) target.declared = [...others, { logical, kind: moved.kind, args }];
  const edits = ([stack, to] as const).map((one): Step => ({
    do: "program",
    stack: one,
    declared: programs[one].declared,
  }));
  return [step, ...edits, next(random.pick([stack, to]))];
}

function consoleSteps(view: View, stack: StackName): Step[] {
  const { random } = view;
  const service = random.pickFrom(entriesOf(view, stack).filter(({ kind }) => kind === "service"));
  const entry = random.pickFrom(entriesOf(view, stack));
  if (entry === undefined || service === undefined) return [];
  const seen = (what: "tag" | "untag" | "delete", object: string): Step => ({ do: "console", what, object });
  const what = choose(random, "tag 4, untag 3, both 4, delete 7");
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
