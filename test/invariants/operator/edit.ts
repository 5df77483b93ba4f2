// What a user does to a program between two runs: add, change, rename, replace, remove an input or a resource.

import type { Field } from "../../../provider/domain/fields";
import type { Values } from "../../../provider/domain/values/value";
import { resources } from "../../../provider/kinds/index";
import { needsOf, type Declared, type Options } from "./declared";
import { add, CHANGEABLE, cidr, fresh, peer, REGIONS, SIZES, waitFor, type Program } from "./program";
import type { Random } from "../../support/random";

/** The resources that may be edited: none whose last create has an unknown outcome. */
export interface Editable {
  program: Program;
  isOutcomeUnknown: (logical: string) => boolean;
  /** Whether the provider would refuse its removal. */
  isProtected: (logical: string) => boolean;
}

const WAYS = [
  addAnother,
  change,
  change,
  change,
  move,
  rename,
  replace,
  drop,
  remove,
  relabel,
  choose,
  choose,
  choose,
  choose,
] as const;

/** Makes one change of the program; returns its description. */
export function edit({ program, isOutcomeUnknown, isProtected }: Editable, random: Random): string {
  const target = random.pickFrom(program.declared.filter(({ logical }) => !isOutcomeUnknown(logical)));
  const way = random.pick(WAYS);
  if (target === undefined) return addAnother(program, target, random);
  return way(program, target, random, isProtected(target.logical));
}

function addAnother(program: Program, _: unknown, random: Random): string {
  add(program, random);
  return "add a resource";
}

function isNeeded(program: Program, { logical }: Declared): boolean {
  return program.declared.some(({ args }) => needsOf(args).includes(logical));
}

function change(program: Program, target: Declared, random: Random): string {
  const { kind, logical, args } = target;
  if (kind === "service") {
    const isParent = isNeeded(program, target);
    const power = (): Values => ({ paused: !isParent && random.isLucky(0.6) });
    const lifecycle = (): Values =>
      random.pick<Values>([{ deletionProtection: false }, { onDelete: "stop" }, { timeouts: { create: "2h" } }]);
    const made = random.pick([...CHANGEABLE.service, power, lifecycle])(random);
    target.args = { ...args, ...(args["paused"] === undefined && "paused" in made && !made["paused"] ? {} : made) };
  } else if (kind === "readReplicaSet") {
    target.args = { ...args, ...random.pick(CHANGEABLE.readReplicaSet)(random) };
  } else if (kind === "peering") target.args = { ...args, ...waitFor(random) };
  else return rename(program, target);
  return `change ${logical}`;
}

/** Sets a resource option, with the change that makes it count, or takes it back. */
function choose(program: Program, target: Declared, random: Random): string {
  const { logical, kind, options = {} } = target;
  const other = random.pickFrom(program.declared.slice(0, program.declared.indexOf(target)));
  const owner = needsOf(target.args)[0];
  const trigger = (one: Declared): void => {
    one.options = { ...one.options, replacementTrigger: (one.options?.replacementTrigger ?? 0) + 1 };
  };
  const set = (chosen: Options): void => void (target.options = { ...options, ...chosen });
  const isSized = kind === "service" || kind === "readReplicaSet";
  const ways: (() => void)[] = [
    () => set({ provider: random.pick([undefined, 1, 2].filter((one) => one !== options.provider)) }),
    () => set({ ignoreChanges: options.ignoreChanges !== true }),
    () => trigger(target),
    () => set({ hooks: options.hooks !== true }),
    () => set({ policy: options.policy !== true }),
  ];
  if (isSized)
    ways.push(() => {
      set({ replaceOnChanges: random.pick([[], ["cpuMillis"], ["cpuMillis", "poolerEnabled"]]) });
      target.args = { ...target.args, ...random.pick(SIZES) };
    });
  if (other !== undefined)
    ways.push(() => {
      set({ replaceWith: other.logical });
      trigger(other);
    });
  if (kind === "readReplicaSet") ways.push(() => set({ deletedWith: owner }));
  random.pick(ways)();
  return `options ${JSON.stringify(target.options)} of ${logical}`;
}

function rename(program: Program, target: Declared): string {
  if (target.kind === "peering") return "nothing";
  target.args = { ...target.args, name: fresh(program, "renamed") };
  return `rename ${target.logical}`;
}

/** Into a VPC, or from one to another. */
function move(program: Program, target: Declared, random: Random): string {
  const { kind, logical, args } = target;
  const before = program.declared.slice(0, program.declared.indexOf(target));
  const vpcs = before.filter((one) => one.kind === "vpc" && one.args["regionCode"] === args["regionCode"]);
  const vpc = random.pickFrom(vpcs);
  if (kind !== "service" || vpc === undefined) return "nothing";
  target.args = { ...args, vpcId: { ref: vpc.logical } };
  return `move ${logical} into ${vpc.logical}`;
}

/** Changes an input that cannot change in place, of a resource that may be replaced. */
function replace(program: Program, target: Declared, random: Random, isProtected: boolean): string {
  if (isProtected) return unprotect(target);
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
      if (args["allowReplace"] !== true || args["vpcId"] !== undefined || isFork || hasForks) return "nothing";
      target.args = { ...args, regionCode: args["regionCode"] === REGIONS[0] ? REGIONS[1] : REGIONS[0] };
    }
  }
  return `replace ${logical}`;
}

/** Removes an input from the program: from then on it is unmanaged. */
function drop(_: Program, target: Declared, random: Random): string {
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

function remove(program: Program, target: Declared, random: Random, isProtected: boolean): string {
  if (isNeeded(program, target)) return "nothing";
  if (isProtected && random.isLucky(0.8)) return unprotect(target);
  program.declared = program.declared.filter((one) => one !== target);
  return `remove ${target.logical}${isProtected ? ", which is protected" : ""}`;
}

function unprotect(target: Declared): string {
  target.args = { ...target.args, deletionProtection: false };
  return `unprotect ${target.logical}`;
}

/** Renames a resource without an alias: the engine deletes one and creates another. */
function relabel(program: Program, target: Declared): string {
  if (isNeeded(program, target)) return "nothing";
  const from = target.logical;
  target.logical = fresh(program, target.kind);
  return `relabel ${from} as ${target.logical}`;
}
