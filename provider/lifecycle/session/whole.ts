// Reads an object by its id where the row of a list does not show what its reader needs. API: a list may leave out members
// that a read of the object alone shows.

import { isWhole } from "../../domain/listed";
import type { Reader } from "./session";

/** `isEnough`: whether the row of a list shows what is needed. Default: none does. */
export function whole<O>(reader: Reader<O>, isEnough: (item: O) => boolean = () => false): Reader<O> {
  const isPart = (row: O | undefined): boolean => row !== undefined && !isWhole(row) && !isEnough(row);
  return {
    ...reader,
    get: async (id, options) => {
      const row = await reader.get(id, options);
      return isPart(row) ? ((await reader.get(id, { ...options, isAlone: true })) ?? row) : row;
    },
    nextPoll: async (id, options) => {
      const row = await reader.nextPoll(id, options);
      return isPart(row) ? ((await reader.fetch(id, options.deadlineMs)) ?? row) : row;
    },
  };
}
