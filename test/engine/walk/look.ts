// What there is between two commands: the entries of both stacks, and the objects of the server.

import { CLASS_NAMES, classIn } from "../../../provider/pulumi/stateNames";
import type { Emulator, LedgerEntry } from "../../../emulator/index";
import type { Held } from "../../invariants/judge/judge";
import { type Fact, factsOf, isLeaving } from "../../invariants/judge/truth";
import type { InlineStack } from "../../support/cli/inlineStack";
import { logicalNameOf, type StateResource } from "../../support/cli/project";
import type { Kind } from "../../support/providerProcess";
import { type StackName, STACKS } from "./model";

/** An entry of a stack's state for an object of this package. */
export interface Entry extends Held {
  stack: StackName;
  urn: string;
  isRetained: boolean;
  deletedWith: string | undefined;
}

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
  pendingReplacement?: boolean;
}

const KINDS = Object.keys(CLASS_NAMES) as readonly Kind[];

export function look(emulator: Emulator, stacks: Record<StackName, InlineStack>): Look {
  const facts = factsOf(emulator.state()).filter((fact) => !isLeaving(fact));
  return {
    entries: STACKS.flatMap((stack) => entriesOf(stack, stacks[stack].state().deployment.resources ?? [])),
    objects: new Map(facts.map((fact) => [fact.id, fact])),
    ledger: emulator.ledger(),
    stored: STACKS.map((stack) => stacks[stack].text()).join("\n"),
  };
}

function entriesOf(stack: StackName, resources: Stored[]): Entry[] {
  return resources.flatMap((resource) => {
    const { urn, type, id = "", inputs = {}, outputs = {}, deletedWith } = resource;
    const kind = KINDS.find((one) => CLASS_NAMES[one] === classIn(type));
    // Pulumi: what was deleted before its replacement keeps its id, and the next `up` makes another one all the same.
    if (kind === undefined || resource.pendingReplacement === true) return [];
    const flags = { isPending: resource.delete === true, isRetained: resource.retainOnDelete === true };
    return { stack, urn, kind, id, inputs, outputs, deletedWith, logical: logicalNameOf(urn), ...flags };
  });
}
