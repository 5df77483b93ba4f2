// Splits a server's standard error into entries: a line that begins with a tab continues the one before, and the
// details of a message belong to its entry.

import type { ServerLogEntry } from "../backend";

/** The prefix that the server puts in front of each line. */
export const linePrefix = "%m [%p] %q%u@%d ";

const form = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[(\d+)\] (?:(\S*@\S*) )?([A-Z]+\d?): {2}(.*)$/s;
const details = new Set(["DETAIL", "HINT", "CONTEXT", "STATEMENT", "QUERY", "LOCATION"]);

type Entry = Omit<ServerLogEntry, "node">;

/** Takes the text in any pieces, and passes on whole entries. */
export class LogParser {
  readonly #entry: (entry: Entry) => void;
  #rest = "";
  #lines: string[] = [];
  #isFlushing = false;

  constructor(entry: (entry: Entry) => void) {
    this.#entry = entry;
  }

  write(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!this.#continues(line)) this.#flush();
      this.#lines.push(line);
    }
    // The details of a message arrive in the same piece as the message.
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      if (this.#rest === "") this.#flush();
    });
  }

  #continues(line: string): boolean {
    const severity = form.exec(line)?.[5];
    return this.#lines.length > 0 && (severity === undefined || details.has(severity));
  }

  #flush(): void {
    const [first, ...others] = this.#lines;
    this.#lines = [];
    if (first === undefined) return;
    const found = entryOf(first);
    const more = others.map((line) => entryOf(line).shown);
    this.#entry({ at: found.at, severity: found.severity, message: [found.message, ...more].join("\n") });
  }
}

function entryOf(line: string): Entry & { shown: string } {
  const [, day, time, pid, who, severity = "LOG", text = ""] = form.exec(line) ?? [];
  // Some lines come from the loader or from the C library, without any prefix.
  if (day === undefined) return { at: Date.now(), severity: "LOG", message: line, shown: line };
  const shown = `${severity}: ${text}`;
  const message = `[${pid}] ${who === undefined ? "" : `${who} `}${shown}`;
  return { at: Date.parse(`${day}T${time}Z`), severity, message, shown };
}
