// What a walk does next: weighted choices from what the programs say and the states hold. The weights lean towards what
// has cost databases: dependents that leave the program, replacements by force, protection, two entries for one object.

import { added, choose, edited, refer, renamed, type View, without } from "./edits";
import type { Entry } from "./look";
import type { Command, Kill, StackName, Step, Verb } from "./model";

/** The first program, and the `up` that makes it. */
export function drawFirst(view: View): Step[] {
  for (let count = 2 + view.random.below(3); count > 0; count -= 1) added(view, "dev");
  return [
    { do: "program", stack: "dev", specs: view.programs.dev },
    { do: "up", stack: "dev", flags: [] },
  ];
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

const plain = (stack: StackName): Command => ({ do: "up", stack, flags: [] });

const entriesOf = ({ entries }: View, stack: StackName): Entry[] => entries.filter((entry) => entry.stack === stack);

/** Flags that name resources, with weights. */
const SCOPES = {
  up: ` 40, --replace @1 14, --replace @1 --replace @2 3, --replace @1 --target @1 5, --exclude @1 6, --target @1 4,
    --target @1 --target @2 3, --target-replace @1 5, --target-replace @1 --target-dependents 3,
    --target @1 --target-dependents 6, --replace @1 --target @1 --target-dependents 2`,
  destroy: ` 18, --target @1 12, --target @1 --target @2 4, --target @1 --target-dependents 24, --exclude @1 25,
    --exclude-protected 20`,
  refresh: " 60, --target @1 40",
};

const FLAGS = {
  up: "--refresh 7, --run-program 6, --continue-on-error 6, --parallel 1 6, --plan 8",
  destroy: "--refresh 6, --run-program 6, --continue-on-error 6, --parallel 1 6",
  refresh: "--run-program 1",
};

function command(view: View, stack: StackName, verb: Verb): Command {
  const { random, entries, kills } = view;
  const names = entriesOf(view, stack).map(({ name }) => name);
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
  const victim = choose(random, "the CLI 3, the provider process 5, everything 3") as Kill["victim"];
  const kill = { victim, at: 1 + random.below(4), commits: random.isLucky(0.5) };
  const isKillable = kills && verb !== "refresh" && !flags.includes("--plan");
  const fate = choose(random, `kill ${isKillable ? 18 : 0}, faults ${flags.includes("--plan") ? 0 : 22}, none 64`);
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
  const name = random.pickFrom(entriesOf(view, stack))?.name ?? "";
  const what = choose(random, "taint 4, untaint 11, protect 12, unprotect 8, delete 10, move 9");
  const step: Step = { do: "state", stack, what, name };
  const next = (where: StackName): Step => command(view, where, random.isLucky(0.75) ? "up" : "destroy");
  // Only what is tainted can be untainted.
  if (what === "untaint") return [{ ...step, what: "taint" }, step, next(stack)];
  if (what !== "move") return [step, next(stack)];
  const to: StackName = stack === "dev" ? "other" : "dev";
  const spec = programs[stack].find((one) => one.name === name);
  if (spec === undefined || random.isLucky(0.3)) return [step, next(random.pick([stack, to]))];
  // The program goes along, as the user of a refactoring does it.
  const { of: _, ...moved } = { ...spec, opts: {}, args: { name: `${name}-${stack}`, ...spec.args } };
  const isPart = spec.kind === "peering" || spec.kind === "readReplicaSet" || spec.kind === "key";
  programs[stack] = without(programs[stack], spec);
  if (!isPart) programs[to] = [...programs[to].filter((one) => one.name !== name), moved];
  const edits = [stack, to].map((one): Step => ({ do: "program", stack: one, specs: programs[one] }));
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
  const entry = random.pickFrom(entriesOf(view, stack).filter(({ kind }) => kind === "service"));
  const spec = programs[stack].find(({ name }) => name === entry?.name);
  if (entry === undefined || spec === undefined) return [...edited(view, stack), plain(stack)];
  const { environment: _, deletionProtection: __, ...args } = spec.args;
  const isProtected = random.isLucky(0.5);
  // Without Pulumi's own `protect`, and without the tag, the other entry alone protects the object.
  const kept = { ...spec, args: { ...args, deletionProtection: true }, opts: { ...spec.opts, protect: false } };
  const before = isProtected ? programs[stack].map((one) => (one === spec ? kept : one)) : programs[stack];
  programs[stack] = renamed(view, { ...spec, args }, stack, { adoptId: refer(entry) });
  const next = `up 3, up --refresh 2, destroy 1, destroy --refresh ${isProtected ? 9 : 1}, destroy --exclude-protected 1`;
  const [verb = "", ...flags] = choose(random, next).split(" ");
  return [
    ...(isProtected ? [{ do: "program" as const, stack, specs: before }, plain(stack)] : []),
    { do: "program", stack, specs: programs[stack] },
    { do: "up", stack, flags: [`--exclude @${entry.name}`] },
    { do: verb as Verb, stack, flags },
  ];
}

function importSteps({ next }: View, stack: StackName): Step[] {
  const name = `found${next()}`;
  return [{ do: "console", what: "create", object: name }, { do: "import", stack, name }, plain(stack)];
}
