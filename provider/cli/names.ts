// The names that imported objects get in a program: logical names from the objects' own, and variables for those that
// others refer to. Pure.

import type { Found } from "./landscape";

export interface Names {
  /** Pulumi's name, unique among resources of the same type. */
  logical: string;
  /** Unique in the program. */
  variable: string;
}

const nouns: Readonly<Record<Found["kind"], string>> = {
  vpc: "vpc",
  peering: "peering",
  service: "service",
  readReplicaSet: "readers",
};

/** Names for all of them, by object. `parents` holds what a peering is named after. */
export function nameAll(all: readonly Found[]): Map<Found, Names> {
  const names = new Map<Found, Names>();
  const logical = new Set<string>();
  const variables = new Set<string>();
  for (const found of all) {
    const parent = all.find((other) => other.kind === "vpc" && other.id === found.place.vpcId);
    const base =
      slug(baseOf(found, parent === undefined ? undefined : names.get(parent)?.logical)) || nouns[found.kind];
    const own = firstFree(
      base,
      (name, number) => `${name}-${number}`,
      (name) => logical.has(`${found.kind} ${name}`),
    );
    logical.add(`${found.kind} ${own}`);
    const variable = variableFor(own, found.kind, variables);
    variables.add(variable);
    names.set(found, { logical: own, variable });
  }
  return names;
}

function baseOf({ inputs }: Found, parent: string | undefined): string {
  if (typeof inputs["name"] === "string") return inputs["name"];
  return [parent, inputs["peerVpcId"]].filter((word) => typeof word === "string").join("-");
}

/** Letters, digits, `-`, `_` and `.`, which every part of Pulumi takes. */
function slug(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9_.]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, 100);
}

function variableFor(logical: string, kind: Found["kind"], taken: ReadonlySet<string>): string {
  const words = logical.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const camel = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join("");
  const isPlain = /^[a-z]\w*$/.test(camel) && !reserved.has(camel) && !taken.has(camel);
  if (isPlain) return camel;
  const named = /^[a-z]/.test(camel) ? `${camel}${upperFirst(nouns[kind])}` : `${nouns[kind]}${upperFirst(camel)}`;
  return firstFree(
    named,
    (name, number) => `${name}${number}`,
    (name) => taken.has(name),
  );
}

function firstFree(
  base: string,
  numbered: (base: string, number: number) => string,
  isTaken: (name: string) => boolean,
): string {
  let name = base;
  for (let number = 2; isTaken(name); number += 1) name = numbered(base, number);
  return name;
}

function lowerFirst(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

// Words that no variable of a module may be called.
const reserved = new Set(
  (
    "abstract any arguments as async await boolean break case catch class const continue debugger declare default delete do " +
    "else enum eval export extends false finally for from function get if implements import in instanceof interface let " +
    "module namespace never new null number object of package private protected public require return set static string " +
    "super switch symbol this throw true try type typeof undefined unknown var void while with yield exports"
  ).split(" "),
);
