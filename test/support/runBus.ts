// The provider processes of one run, simulated within the test: each reads what the others have written.

import type { Event, RunLog } from "../../provider/core/runLog";

export function createRunBus(): { join(): RunLog } {
  const lines: { by: symbol; line: string }[] = [];
  return {
    join() {
      const own = Symbol("process");
      let read = 0;
      return {
        append: (event) => lines.push({ by: own, line: JSON.stringify(event) }) > 0,
        digest: (words) => words,
        next() {
          const fresh = lines.slice(read);
          read = lines.length;
          return fresh.flatMap(({ by, line }) => (by === own ? [] : [JSON.parse(line) as Event]));
        },
      };
    },
  };
}
