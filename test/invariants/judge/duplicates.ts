// Watches for duplicates: an object that is created while another one with the same identity exists.

import type { LedgerEntry } from "../../../emulator/index";
import { isLeaving, type Fact } from "./truth";

export interface DuplicateWatch {
  /** Must be called at once, while the duplicates still exist. */
  created(entry: LedgerEntry): void;
  /** The duplicates, in words. Call it after the engine has reported which objects it was about to replace. */
  found(isReplaced: (id: string) => boolean): string[];
}

export function createDuplicateWatch(facts: () => Fact[]): DuplicateWatch {
  const creates: { what: string; beside: string[] }[] = [];
  return {
    created({ id, kind }) {
      const all = facts();
      const created = all.find((fact) => fact.id === id);
      const duplicates = all.filter(
        (fact) => fact.kind === created?.kind && fact.identity === created.identity && fact.id !== id,
      );
      const beside = duplicates.filter((fact) => !isLeaving(fact)).map((fact) => fact.id);
      if (created !== undefined) creates.push({ what: `${kind} ${created.identity}: ${id}`, beside });
    },
    found(isReplaced) {
      return creates.splice(0).flatMap(({ what, beside }) => {
        const inTheWay = beside.filter((id) => !isReplaced(id));
        return inTheWay.length === 0 ? [] : [`${what} was made beside ${inTheWay.join(", ")}`];
      });
    },
  };
}
