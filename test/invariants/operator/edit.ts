// What a user does to a program between two runs: add, change, rename, replace, remove an input or a resource. The runs in
// this process and the walk over the real engine draw from it, each with its own weights.

import type { Field } from "../../../provider/domain/fields";
import type { Values } from "../../../provider/domain/values/value";
import { resources } from "../../../provider/kinds/index";
import { choose, type Random } from "../../support/random";
import { isNeeded, needsOf, type Declared } from "./declared";
import { chooseOptions } from "./options";
import { CHANGEABLE, cidr, drawResources, fresh, peer, REGIONS, waitFor, type Program } from "./program";

/** How often each edit, and each option, is drawn. */
export interface Weights {
  edits: string;
  options: string;
}

/** Those of the runs in this process. */
export const WEIGHTS: Weights = {
  edits: "add 1, change 3, power 2, move 1, rename 1, replace 1, drop 1, remove 1, relabel 1, options 4",
  options: `provider 2, ignoreChanges * 2, replaceOnChanges 3, replacementTrigger 2, replaceWith 3, deletedWith owner 4,
    hooks 3, policy 1`,
};

export interface Editing {
  program: Program;
  weights: Weights;
  /** Whether what others need is removed and renamed as well. */
  isBold: boolean;
  /** Resources with an unknown outcome are not edited. */
  isOutcomeUnknown: (logical: string) => boolean;
  /** Whether the provider would refuse its removal. */
  isProtected: (logical: string) => boolean;
  /** What names the object of a resource, for `adoptId`. */
  idOf: (logical: string) => string | undefined;
}

type Edit = (editing: Editing, target: Declared, random: Random) => string;

const EDITS: Readonly<Record<string, Edit>> = {
  add,
  change,
  power,
  move,
  rename,
  replace,
  drop,
  remove,
  relabel,
  alias,
  order,
  /** The password comes from another provider, whose every change deletes first. */
  key: (_, target, random) => setOfService(target, { password: { key: random.below(1_000) } }),
  options({ program, weights }, target, random) {
    chooseOptions(program, target, random, weights.options);
    return `options ${JSON.stringify(target.options)} of ${target.logical}`;
  },
};

export function randomProgram(random: Random): Program {
  const program: Program = { declared: [], names: 0 };
  const size = 1 + random.below(5);
  while (program.declared.length < size) add({ program, weights: WEIGHTS }, undefined, random);
  return program;
}

/** Makes one change of the program; returns its description. */
export function edit(editing: Editing, random: Random): string {
  const { program, isOutcomeUnknown, weights } = editing;
  const target = random.pickFrom(program.declared.filter(({ logical }) => !isOutcomeUnknown(logical)));
  if (target === undefined) return add(editing, target, random);
  return EDITS[choose(random, weights.edits)]?.(editing, target, random) ?? "nothing";
}

/** Half of what is new has options: some count at the create alone. */
export function add({ program, weights }: Pick<Editing, "program" | "weights">, _: unknown, random: Random): string {
  const made = drawResources(program, random);
  for (const one of made) if (random.isLucky(0.5)) chooseOptions(program, one, random, weights.options);
  program.declared.push(...made);
  return "add a resource";
}

function setOfService(target: Declared, args: Values): string {
  if (target.kind === "service") target.args = { ...target.args, ...args };
  return `${JSON.stringify(args)} of ${target.logical}`;
}

function change(editing: Editing, target: Declared, random: Random): string {
  const { kind, logical, args } = target;
  if (kind === "service") {
    const lifecycle = (): Values =>
      random.pick<Values>([{ deletionProtection: random.isLucky(0.3) }, { timeouts: { create: "2h" } }]);
    target.args = { ...args, ...random.pick([...CHANGEABLE.service, lifecycle])(random) };
  } else if (kind === "readReplicaSet") {
    target.args = { ...args, ...random.pick(CHANGEABLE.readReplicaSet)(random) };
  } else if (kind === "peering") target.args = { ...args, ...waitFor(random) };
  else return rename(editing, target);
  return `change ${logical}`;
}

/** What others need is not stopped. */
function power({ program }: Editing, target: Declared, random: Random): string {
  const paused = !isNeeded(program.declared, target.logical) && random.isLucky(0.7);
  return paused || target.args["paused"] !== undefined ? setOfService(target, { paused }) : "nothing";
}

function rename({ program }: Editing, target: Declared): string {
  if (target.kind === "peering") return "nothing";
  target.args = { ...target.args, name: fresh(program, "renamed") };
  return `rename ${target.logical}`;
}

/** Into a VPC, or from one to another. */
function move({ program }: Editing, target: Declared, random: Random): string {
  const { kind, logical, args } = target;
  const before = program.declared.slice(0, program.declared.indexOf(target));
  const vpcs = before.filter((one) => one.kind === "vpc" && one.args["regionCode"] === args["regionCode"]);
  const vpc = random.pickFrom(vpcs);
  if (kind !== "service" || vpc === undefined) return "nothing";
  target.args = { ...args, vpcId: { ref: vpc.logical } };
  return `move ${logical} into ${vpc.logical}`;
}

/** Changes an input that cannot change in place, of a resource that may be replaced. */
function replace({ program, isBold, isProtected }: Editing, target: Declared, random: Random): string {
  if (isProtected(target.logical)) return unprotect(target);
  const { kind, logical, args } = target;
  const isFork = args["forkFrom"] !== undefined;
  switch (kind) {
    case "vpc":
      target.args = { ...args, cidr: cidr(random) };
      break;
    case "peering":
      target.args = { ...args, ...peer(random) };
      break;
    case "readReplicaSet":
      target.args = { ...args, nodes: args["nodes"] === 1 ? 2 : 1 };
      break;
    case "service": {
      const hasForks = program.declared.some(({ args: other }) =>
        JSON.stringify(other["forkFrom"] ?? "").includes(`"${logical}"`),
      );
      if (args["vpcId"] !== undefined || isFork) return "nothing";
      if (!isBold && (args["allowReplace"] !== true || hasForks)) return "nothing";
      target.args = {
        ...args,
        allowReplace: true,
        regionCode: args["regionCode"] === REGIONS[0] ? REGIONS[1] : REGIONS[0],
      };
    }
  }
  return `replace ${logical}`;
}

/** Removes an input from the program: from then on it is unmanaged. */
function drop(_: Editing, target: Declared, random: Random): string {
  const isDroppable = ([key, field]: [string, Field]): boolean =>
    (field.change === "inPlace" && field.required === undefined && field.sentWith === undefined && key !== "name") ||
    key === "waitFor" ||
    key === "addons";
  const droppable = Object.entries(resources[target.kind].fields).filter(isDroppable);
  const key = random.pickFrom(droppable.map(([name]) => name).filter((name) => target.args[name] !== undefined));
  if (key === undefined) return "nothing";
  const args = { ...target.args };
  delete args[key];
  target.args = args;
  return `drop ${key} of ${target.logical}`;
}

function remove({ program, isBold, isProtected: isSafe }: Editing, target: Declared, random: Random): string {
  const isProtected = isSafe(target.logical);
  if (!isBold && isNeeded(program.declared, target.logical)) return "nothing";
  if (!isBold && isProtected && random.isLucky(0.8)) return unprotect(target);
  program.declared = without(program.declared, target);
  return `remove ${target.logical}${isProtected ? ", which is protected" : ""}`;
}

/** What cannot be without it goes with it, and the others do without. */
export function without(declared: readonly Declared[], gone: Declared): Declared[] {
  const isIn = ({ args }: Declared): boolean => needsOf(args).includes(gone.logical);
  const isPart = (one: Declared): boolean => isIn(one) && (one.kind === "peering" || one.kind === "readReplicaSet");
  return declared.flatMap((one) => {
    if (one === gone || isPart(one)) return [];
    const { vpcId: _, forkFrom: __, ...args } = one.args;
    return [isIn(one) ? { ...one, args: { regionCode: REGIONS[0], ...args } } : one];
  });
}

function unprotect(target: Declared): string {
  target.args = { ...target.args, deletionProtection: false };
  return `unprotect ${target.logical}`;
}

/** Renames a resource without an alias: the engine deletes one and creates another, which may adopt what the one has. */
function relabel({ program, isBold, idOf }: Editing, target: Declared, random: Random): string {
  const from = target.logical;
  if (!isBold && isNeeded(program.declared, from)) return "nothing";
  const id = random.isLucky(0.4) ? idOf(from) : undefined;
  target.args = { ...target.args, ...(id === undefined ? {} : { adoptId: id }) };
  delete target.options?.aliases;
  giveName(program, target);
  return `relabel ${from} as ${target.logical}`;
}

function alias({ program }: Editing, target: Declared): string {
  const from = target.logical;
  giveName(program, target);
  target.options = { ...target.options, aliases: [{ name: from }] };
  return `rename ${from} as ${target.logical} with an alias`;
}

/** Those that name the resource follow. */
export function giveName(program: Program, target: Declared): void {
  const from = target.logical;
  const to = fresh(program, target.kind);
  const renamed = JSON.stringify(program.declared).replaceAll(`"${from}"`, `"${to}"`);
  for (const [index, one] of (JSON.parse(renamed) as Declared[]).entries())
    Object.assign(program.declared[index] ?? {}, one);
}

/** To the end of the program, if nothing there needs it. */
function order({ program }: Editing, target: Declared): string {
  if (isNeeded(program.declared, target.logical)) return "nothing";
  program.declared = [...program.declared.filter((one) => one !== target), target];
  return `${target.logical} comes last`;
}
