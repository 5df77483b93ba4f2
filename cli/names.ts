// The names that imported objects get in a program: logical names from the objects' own, and variables for those that
// others refer to. Pure.

import type { ImportableObject } from "./inventory";

export interface Names {
  /** Pulumi's name, unique among resources of the same type. */
  logical: string;
  /** Unique in the program. It ends in the kind, so that it is never a word of the language. */
  variable: string;
}

const nouns: Readonly<Record<ImportableObject["kind"], string>> = {
  vpc: "vpc",
  peering: "peering",
  service: "service",
  readReplicaSet: "readers",
};

/**
 * Names for all of them, by object. A peering is named after its VPC where that is imported too, so VPCs come first.
 * Pulumi: an import whose name a stack has already is an error.
 */
export function nameAll(
  all: readonly ImportableObject[],
  taken: (kind: ImportableObject["kind"]) => readonly string[] = () => [],
): Map<ImportableObject, Names> {
  const names = new Map<ImportableObject, Names>();
  const vpcs = new Map(all.filter(({ kind }) => kind === "vpc").map((found) => [found.id, found]));
  const kinds = new Map<ImportableObject["kind"], ReturnType<typeof createPool>>();
  const poolOf = (kind: ImportableObject["kind"]): ReturnType<typeof createPool> => {
    const pool = kinds.get(kind) ?? createPool("-", taken(kind));
    kinds.set(kind, pool);
    return pool;
  };
  const variables = createPool("");
  for (const found of all) {
    const parent = found.scope.vpcId === undefined ? undefined : vpcs.get(found.scope.vpcId);
    const base =
      slug(baseOf(found, parent === undefined ? undefined : names.get(parent)?.logical)) || nouns[found.kind];
    const logical = poolOf(found.kind)(base);
    names.set(found, { logical, variable: variables(variableFor(logical, found.kind)) });
  }
  return names;
}

/** Gives each name once, as it is or with the first free number behind it; a project may hold thousands of one name. */
function createPool(separator: string, given: readonly string[] = []): (name: string) => string {
  const taken = new Set(given);
  const nextNumbers = new Map<string, number>();
  return (name) => {
    let free = name;
    let number = nextNumbers.get(name) ?? 2;
    for (; taken.has(free); number += 1) free = `${name}${separator}${number}`;
    nextNumbers.set(name, number);
    taken.add(free);
    return free;
  };
}

function baseOf({ inputs }: ImportableObject, parent: string | undefined): string {
  if (typeof inputs["name"] === "string") return inputs["name"];
  return [parent, inputs["peerVpcId"]].filter((word) => typeof word === "string").join("-");
}

/** Longer names are cut before they are normalized. */
const LONGEST_NAME = 1_000;
/** The maximum length of a logical name. */
const LONGEST_LOGICAL = 100;

/** Letters, digits, `-`, `_` and `.`, which every part of Pulumi takes; none of `-` and `.` at either end. */
function slug(text: string): string {
  const words = text
    .slice(0, LONGEST_NAME)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9_.]+/g, "-");
  return words
    .replace(/^[-.]+/, "")
    .slice(0, LONGEST_LOGICAL)
    .replace(/[-.]+$/, "");
}

function variableFor(logical: string, kind: ImportableObject["kind"]): string {
  const words = logical.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const camel = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join("");
  if (/^[a-z]/.test(camel) && camel.toLowerCase().endsWith(nouns[kind])) return camel;
  return /^[a-z]/.test(camel) ? `${camel}${upperFirst(nouns[kind])}` : `${nouns[kind]}${upperFirst(camel)}`;
}

function lowerFirst(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
