// Splits a server's standard error into entries: a line that begins with a tab continues the one before, and the
// details of a message belong to its entry.

import { randomBytes } from "node:crypto";
import type { ServerLogEntry } from "../backend";

/** A random word: what a client sends, like the name of a user, can look like a line of the log, but not like this. */
export const newMark = (): string => randomBytes(9).toString("hex");

/** What the server puts in front of each line. Processes that serve no client stop at the `%q`. */
export const linePrefix = (mark: string): string => `${mark} %m [%p] %q%u@%d ${mark} `;

/** After the mark. */
const form = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[(\d+)\] (?:(.*?) \0 )?([A-Z]+\d?): {2}(.*)$/s;
const details = new Set(["DETAIL", "HINT", "CONTEXT", "STATEMENT", "QUERY", "LOCATION"]);

/** Takes the text in any pieces, and passes on whole entries. */
export class LogParser {
  readonly #entry: (entry: ServerLogEntry) => void;
  readonly #mark: string;
  #rest = "";
  #lines: string[] = [];
  #isFlushing = false;

  constructor(mark: string, entry: (entry: ServerLogEntry) => void) {
    this.#mark = mark;
    this.#entry = entry;
  }

  write(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
    // The details of a message arrive in the same piece as the message.
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      if (this.#rest === "") this.#flush();
    });
  }

  /** A line without the mark continues the one before, unless there is none: some come from the loader, or the C library. */
  #take(line: string): void {
    const last = this.#lines.at(-1);
    const isMarked = line.startsWith(`${this.#mark} `);
    if (last !== undefined && !isMarked) this.#lines[this.#lines.length - 1] = `${last}\n${line}`;
    else {
      if (!details.has(this.#read(line).severity)) this.#flush();
      this.#lines.push(line);
    }
  }

  #flush(): void {
    const [first, ...others] = this.#lines.map((line) => this.#read(line));
    this.#lines = [];
    if (first === undefined) return;
    this.#entry({
      at: first.at,
      severity: first.severity,
      message: [first.message, ...others.map(({ shown }) => shown)].join("\n"),
    });
  }

  #read(line: string): ServerLogEntry & { shown: string } {
    const text = line.startsWith(`${this.#mark} `) ? line.slice(this.#mark.length + 1) : "";
    const [, day, time, pid, who, severity = "LOG", said = ""] =
      form.exec(text.replace(` ${this.#mark} `, " \0 ")) ?? [];
    if (day === undefined) return { at: Date.now(), severity: "LOG", message: line, shown: line };
    const shown = `${severity}: ${said}`;
    const message = `[${pid}] ${who === undefined ? "" : `${printable(who)} `}${printable(shown, /(?![\n\t])\p{Cc}/gu)}`;
    return { at: Date.parse(`${day}T${time}Z`), severity, message, shown };
  }
}

/** A name and a message may have characters that move the cursor of a terminal. */
const printable = (text: string, others = /\p{Cc}/gu): string => text.replace(others, "?");
