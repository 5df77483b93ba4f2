// Reads an object by its id where the row of a list does not show what its reader needs. API: a list may leave out members
// that a read of the object alone shows.

import { isWhole } from "../../domain/listed";
import type { Reader } from "./session";

/** `isEnough`: whether the row of a list shows what is needed. Default: none does. */
export function whole<O>(reader: Reader<O>, isEnough: (item: O) => boolean = () => false): Reader<O> {
  const orAlone = async (row: O | undefined, id: string, deadlineMs: number): Promise<O | undefined> =>
    row === undefined || isWhole(row) || isEnough(row) ? row : ((await reader.fetch(id, deadlineMs)) ?? row);
  return {
    ...reader,
    get: async (id, options) => orAlone(await reader.get(id, options), id, options?.deadlineMs ?? 0),
    nextPoll: async (id, options) => orAlone(await reader.nextPoll(id, options), id, options.deadlineMs),
  };
}
