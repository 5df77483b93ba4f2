// DBCLOUD_TRACE=FILE: what a run did, in the Trace Event Format that Perfetto opens. A track for each resource, with a slice
// for each operation, step, wait and change; one track for the reads, which resources share. It hears the lines of progress
// and the lines of requests, from which secrets are gone already. Several processes write into one file.

import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync, writeFileSync } from "node:fs";
import { systemClock } from "../api/clock";
import { nameInUrn } from "../domain/values/urn";
import type { OpenRow } from "./engineLog";

/** What is under way on the track of a resource. */
interface Track {
  tid: number;
  line?: { text: string; fromMs: number } | undefined;
}

type Span = readonly [fromMs: number, toMs: number];

interface Trace {
  /** Of each resource, with its operations and lines of progress. */
  rows: OpenRow;
  /** A line about a request; undefined if nothing listens. */
  request: ((line: string) => void) | undefined;
}

const STATUS = /^\w+: ([A-Za-z]+), \d/;
const STEP = /^(\w+): (.*)$/;
const REQUEST = /^dbcloud (\w+) (\S+) (.+) (\d+) ms attempt (\d+)(?: request-id (\S+))?$/;
const READS = 0;

/** Without a file everything is as it was. */
export function createTrace(file: string | undefined, rows: OpenRow): Trace {
  if (!file) return { rows, request: undefined };
  const { pid } = process;
  const tracks = new Map<string, number>();
  const current = new AsyncLocalStorage<Track>();
  let events: object[] = [];

  const add = (event: object): void => void events.push({ pid, ...event });
  const name = (what: string, tid: number, text: string): void =>
    add({ ph: "M", tid, name: what, args: { name: text } });
  const slice = (tid: number, [fromMs, toMs]: Span, cat: string, text: string, args: object): void =>
    add({ ph: "X", tid, name: text, cat, ts: fromMs * 1_000, dur: (toMs - fromMs) * 1_000, args });
  name("process_name", READS, "provider");
  name("thread_name", READS, "reads, which resources share");

  const trackOf = (urn: string): number => {
    const tid = tracks.get(urn) ?? tracks.size + 1;
    if (!tracks.has(urn)) name("thread_name", tid, nameInUrn(urn) || "look-ups");
    tracks.set(urn, tid);
    return tid;
  };
  const endLine = ({ tid, line }: Track, nowMs: number): void => {
    if (line === undefined) return;
    const [, status] = STATUS.exec(line.text) ?? [];
    const [, step = line.text, reason = ""] = STEP.exec(line.text) ?? [];
    slice(tid, [line.fromMs, nowMs], status === undefined ? "step" : "wait", status ?? step, { step, reason });
  };
  const write = (): void => {
    const text = events.map((event) => `${JSON.stringify(event)},\n`).join("");
    events = [];
    try {
      // The format lets the end of the list be absent, so that each process only adds.
      writeFileSync(file, "[\n", { mode: 0o600, flag: "wx" });
    } catch {
      // Another process, or an earlier operation, has made it; if not, the next line says why.
    }
    appendFileSync(file, text);
  };

  return {
    rows(urn, delayMs) {
      const row = rows(urn, delayMs);
      const track: Track = { tid: trackOf(typeof urn === "string" ? urn : "") };
      const fromMs = systemClock.now();
      current.enterWith(track);
      return {
        ...row,
        progress(text) {
          const nowMs = systemClock.now();
          endLine(track, nowMs);
          track.line = { text, fromMs: nowMs };
          row.progress(text);
        },
        end() {
          const nowMs = systemClock.now();
          endLine(track, nowMs);
          slice(track.tid, [fromMs, nowMs], "operation", "operation", {});
          try {
            write();
          } catch (error) {
            row.warn(`DBCLOUD_TRACE: ${(error as Error).message}`);
          }
          return row.end();
        },
      };
    },
    request(text) {
      const [, method = "", path = "", outcome, ms = "", attempt, requestId] = REQUEST.exec(text) ?? [];
      const [nowMs, args] = [systemClock.now(), { path, outcome, attempt, requestId }];
      const fromMs = nowMs - Number(ms);
      const what = `${method} …/${path.split("/").at(-1)}`;
      const track = current.getStore();
      if (method !== "GET" && track !== undefined)
        return slice(track.tid, [Math.max(fromMs, track.line?.fromMs ?? fromMs), nowMs], "call", what, args);
      // Reads overlap, which slices of one track must not.
      const read = { tid: READS, name: what, cat: "read", id: `${pid}-${events.length}-${nowMs}` };
      add({ ph: "b", ...read, ts: fromMs * 1_000, args });
      add({ ph: "e", ...read, ts: nowMs * 1_000 });
    },
  };
}
