// What there is between two commands: the entries of both stacks, and the objects of the server.

import type { Emulator, LedgerEntry } from "../../../emulator/index";
import type { Values } from "../../../provider/domain/values/value";
import type { InlineStack } from "../../support/cli/inlineStack";
import { type StateResource, logicalNameOf } from "../../support/cli/project";
import { factsOf, isLeaving, type Fact } from "../../invariants/judge/truth";
import { type Entry, STACKS, type StackName } from "./model";

export interface Look {
  entries: Entry[];
  /** By id, without those that are being deleted. */
  objects: Map<string, Fact>;
  ledger: LedgerEntry[];
  /** The states as the backend stores them. */
  stored: string;
}

interface Stored extends StateResource {
  delete?: boolean;
  retainOnDelete?: boolean;
  deletedWith?: string;
}

const KINDS: Readonly<Record<string, Entry["kind"]>> = {
  Service: "service",
  Vpc: "vpc",
  Peering: "peering",
  ReadReplicaSet: "readReplicaSet",
};

export function look(emulator: Emulator, stacks: Record<StackName, InlineStack>): Look {
  const facts = factsOf(emulator.state()).filter((fact) => !isLeaving(fact));
  return {
    entries: STACKS.flatMap((stack) => entriesOf(stack, stacks[stack])),
    objects: new Map(facts.map((fact) => [fact.id, fact])),
    ledger: emulator.ledger(),
    stored: STACKS.map((stack) => stacks[stack].text()).join("\n"),
  };
}

function entriesOf(stack: StackName, { state }: InlineStack): Entry[] {
  return ((state().deployment.resources ?? []) as Stored[]).flatMap((resource) => {
    const { urn, type, id = "", inputs = {}, outputs = {}, deletedWith } = resource;
    const kind = KINDS[/dynamic\/dbcloud:(\w+)$/.exec(type)?.[1] ?? ""];
    if (kind === undefined) return [];
    const isStored = (values: Values, value: boolean): boolean => values["deletionProtection"] === value;
    return {
      ...{ stack, urn, kind, id, deletedWith, name: logicalNameOf(urn) },
      isPending: resource.delete === true,
      isProtected: isStored(outputs, true),
      isOff: isStored(inputs, false),
      isRetained: resource.retainOnDelete === true,
    };
  });
}
