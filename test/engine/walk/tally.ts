// What a step counts as, by the names of which `npm run invariants -- --engine` must draw enough.

import type { Declared, Options } from "../../invariants/operator/declared";
import type { Command, StackName, Step } from "./model";

/** `declared`: the program of the step's stack before it. */
export function namesOf(step: Step, declared: readonly Declared[]): string[] {
  switch (step.do) {
    case "program":
      return [...step.declared.flatMap((one) => namesOfResource(one, declared)), ...namesOfEdit(step, declared)];
    case "console":
      return step.what === "create" ? [] : [step.what === "delete" ? "delete out of band" : step.what];
    case "state":
      return [`state ${step.what}`];
    case "import":
      return ["import"];
    default:
      return namesOfCommand(step);
  }
}

function namesOfResource({ logical, args, options = {} }: Declared, program: readonly Declared[]): string[] {
  const before = program.find((one) => one.logical === logical);
  const { options: old = {}, args: oldArgs = {} } = before ?? {};
  const isNew = ([option, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(old[option as keyof Options]);
  const isAll = (some: Options): boolean => some.ignoreChanges?.includes("*") === true;
  const isKey = (some: Declared["args"]): boolean => typeof some["password"] === "object";
  return [
    ...Object.entries(options).flatMap((entry) => (isNew(entry) ? [entry[0]] : [])),
    ...(isAll(options) && !isAll(old) ? ["ignoreChanges *"] : []),
    ...(isKey(args) && !isKey(oldArgs) ? ["key"] : []),
    ...(before !== undefined && old.provider !== options.provider ? ["another provider"] : []),
    ...(before === undefined && args["adoptId"] !== undefined ? ["adoptId"] : []),
  ];
}

interface Edit {
  stack: StackName;
  declared: readonly Declared[];
}

function namesOfEdit({ stack, declared }: Edit, program: readonly Declared[]): string[] {
  const missing = (some: readonly Declared[], others: readonly Declared[]): Declared[] =>
    some.filter(({ logical }) => !others.some((one) => one.logical === logical));
  const [added] = missing(declared, program);
  const gone = missing(program, declared).length;
  const renamed = added !== undefined && gone === 1 ? (added.options?.aliases ? "rename with alias" : "rename") : "";
  return [renamed || (gone > 0 ? "remove" : ""), stack === "other" ? "other stack" : ""].filter((name) => name !== "");
}

function namesOfCommand({ do: verb, flags, adopt, kill }: Command): string[] {
  const plain = flags.map((flag) => flag.replace(/ @.*/, ""));
  const all = plain.includes("--target-replace") ? [...plain, "--target"] : plain;
  return [
    ...(verb === "up" ? [] : [verb]),
    ...[...new Set(all)].map((flag) => `${verb} ${flag}`),
    ...(adopt === undefined ? [] : ["DBCLOUD_ADOPT"]),
    ...(kill === undefined ? [] : [`kill ${kill.victim}`]),
  ];
}
