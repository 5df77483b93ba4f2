// Watches births for twins: an object that is made while another one, the same to a person, is there.

import type { LedgerEntry } from "../../emulator/index";
import { isLeaving, type Fact } from "./truth";

export interface TwinWatch {
  /** To be told at once, while its twins are still to be seen. */
  born(entry: LedgerEntry): void;
  /** What was made beside what. To be asked when the engine has told which of them it was about to replace. */
  found(isReplaced: (id: string) => boolean): string[];
}

export function createTwinWatch(facts: () => Fact[]): TwinWatch {
  const births: { what: string; beside: string[] }[] = [];
  return {
    born({ id, kind }) {
      const all = facts();
      const born = all.find((fact) => fact.id === id);
      const twins = all.filter((fact) => fact.kind === born?.kind && fact.twin === born.twin && fact.id !== id);
      const beside = twins.filter((fact) => !isLeaving(fact)).map((fact) => fact.id);
      if (born !== undefined) births.push({ what: `${kind} ${born.twin}: ${id}`, beside });
    },
    found(isReplaced) {
      return births.splice(0).flatMap(({ what, beside }) => {
        const inTheWay = beside.filter((id) => !isReplaced(id));
        return inTheWay.length === 0 ? [] : [`${what} was made beside ${inTheWay.join(", ")}`];
      });
    },
  };
}
