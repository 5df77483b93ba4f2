// The memory of one provider process about its own operations. Handlers never see the whole state, so they share facts here.
// Objects are keyed by kind and id, because ids of different kinds may be equal.

import type { Values } from "../../domain/values/value";

/** A resource of the program, from its `check`. */
export interface Declaration {
  /** Its name in the program. */
  name: string;
  /** It is to be created, and a duplicate is not allowed. */
  isAlone: boolean;
}

/** The holder of a name: a create under way, a created object, or a create with an unknown outcome. */
export interface Holder {
  is: "underWay" | "made" | "unknown";
  object?: string;
}

/** The other provider processes of the same run. Each provider instance has its own process. */
export interface SiblingProcesses {
  /** Announces that a resource of this process keeps the object. */
  announceKept(object: string, addresses: readonly string[]): void;
  /** Withdraws that: the resource gets another object after all. */
  withdraw(object: string, addresses: readonly string[]): void;
  /** Whether a resource of another process keeps the object, at one of these addresses. */
  isKept(object: string, addresses: readonly string[]): boolean;
  /** Announces the resource of this process that is to adopt the object; undefined withdraws that. */
  announceAdoption(object: string, by: string | undefined): void;
  /** The name of the resource of another process that is to adopt the object. */
  adopterOf(object: string): string | undefined;
  /** Announces the protection of an object of this process, for resources that it owns under another provider instance. */
  announceProtection(object: string, protection: Protection): void;
  /** The protection that another process announced last; undefined if none did. */
  protectionOf(object: string): Protection | undefined;
}

const ALONE: SiblingProcesses = {
  announceKept: () => undefined,
  withdraw: () => undefined,
  isKept: () => false,
  announceAdoption: () => undefined,
  adopterOf: () => undefined,
  announceProtection: () => undefined,
  protectionOf: () => undefined,
};

/** The key of a resource of the program; undefined if the caller does not know it. */
export type ResourceKey = string | undefined;

/** A resource keeps its object, or gets another one in this run. */
export type Holding = "kept" | "replaced";

/** Protection against deletion. "unprotected": off, although tagged as production. "untagged": the live tag decides. */
export type Protection = (typeof PROTECTIONS)[number];
export const PROTECTIONS = ["protected", "unprotected", "untagged"] as const;

/** Objects that this run does not delete, because a create of it refers to them. */
export interface DeleteBlock {
  objects: readonly string[];
  /** "adoption": the object is to be adopted. "duplicate": the create was refused because of it. */
  is: "adoption" | "duplicate";
  /** The name of the resource. */
  by: string;
}

export interface Predecessor {
  /** For messages: the object by the name in the state, because the program may give its successor another name. */
  label: string;
  isProtected: boolean;
  /** True when the program's `diff` compared it in this run; false when only a refresh did. */
  isHeld: boolean;
  /** `onDelete: "stop"`: its data stay. */
  isLeft: boolean;
  /** The program has switched its protection off. */
  isProtectionOff: boolean;
  /** Its delete is refused if the live object is tagged as production. */
  isRefusedByTag: boolean;
  /** The ids in its path, under the names of the inputs. */
  located: Values;
}

export class Memory {
  readonly siblings: SiblingProcesses;
  /** Names that this process creates or has created; several holders if the program allows duplicates. */
  readonly reservations = new Map<string, Set<Holder>>();
  /** The declared identities of the program's resources, from the checks so far. */
  readonly declared = {
    /** By the identity that duplicates share, then by the resource. */
    reservations: new Map<string, Map<string, Declaration>>(),
    /** By resource: its last declared identity. Pulumi: a replaced resource is checked twice. */
    byIdentity: new Map<string, string>(),
  };
  /** By object: the names that it holds. */
  readonly named = new Map<string, Set<string>>();
  /** Objects that this process created. */
  readonly created = new Set<string>();
  /** Objects that a create of this process adopted. */
  readonly adopted = new Set<string>();
  /** By resource that is to be created: the object that its `adoptId` names, or the duplicates that stopped it. */
  readonly deleteBlocks = new Map<ResourceKey, DeleteBlock>();
  /** Objects that resources of the running program hold: `diff` compared them. By object: resource → kept or replaced. */
  readonly held = new Map<string, Map<ResourceKey, Holding>>();
  /** Resources that the program has registered in this run: `check` was called for them. */
  readonly registered = new Set<ResourceKey>();
  /** Objects whose addresses a change of this run moves, or may move because of an unknown value. */
  readonly moving = new Map<string, "moves" | "may move">();
  /** Objects whose replacement `diff` decided. */
  readonly replacing = new Set<string>();
  /** By resource: the objects that `diff` compared. A create for the same resource replaces them, for whatever reason. */
  readonly predecessors = new Map<ResourceKey, Map<string, Predecessor>>();
  /** Objects that an entry of the state protects, as far as this process has seen the entries. */
  readonly protectedObjects = new Set<string>();
  /** Objects that an entry of the state knows as tagged production. */
  readonly production = new Set<string>();
  /** By object: the outputs that only the answer of its create had, from an entry of the state. */
  readonly shownOnce = new Map<string, Values>();
  /** Objects that this process deleted and confirmed as gone. */
  readonly removed = new Set<string>();
  /** By object: reads of a refresh whose `diff` is still to come. */
  readonly justRead = new Map<string, number>();
  /** By object: its protection, as its state records or will record. */
  readonly protections = new Map<string, Protection>();
  /** The objects that own resources of the running program. */
  readonly owners = new Set<string>();
  /** Reads of objects of the state that are under way. */
  readonly readsUnderWay = new Set<symbol>();
  /** Pairs of addresses: an object that the state knows from the first address answered at the second. */
  readonly sameDeployments = new Set<string>();

  constructor(siblings: SiblingProcesses = ALONE) {
    this.siblings = siblings;
  }
}

/** The key of an object in the memory. */
export function objectOf(resource: { readonly kind: string }, id: string): string {
  return `${resource.kind}/${id}`;
}

export function idIn(object: string): string {
  return object.slice(object.indexOf("/") + 1);
}

/** Whether the program holds this object already. */
export function isHeld({ held }: Memory, object: string): boolean {
  return held.has(object);
}

/** Whether a resource of the program keeps this object. */
export function isKept({ held }: Memory, object: string): boolean {
  return [...(held.get(object)?.values() ?? [])].includes("kept");
}
