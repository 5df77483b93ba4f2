// Calls of the engine as a line of text, in a form that is the same in every run.
//
//   check db (no olds); create db; check set; diff set = replace(unknown serviceId)

/** What the recorder writes: a call that comes in, or (without `method`) its answer. */
export interface Line {
  process: number;
  call: number;
  method?: string;
  urn?: string;
  id?: string;
  isFirst?: boolean;
  unknown?: string[];
  answer?: string;
}

export interface Call {
  process: number;
  method: string;
  name: string;
  id: string | undefined;
  notes: string;
  /** The places of its two lines. */
  from: number;
  to: number;
  answer: string | undefined;
}

/** The objects that each name has had, in the order of their appearance. */
export type Objects = Map<string, string[]>;

export function callsIn(lines: readonly Line[]): Call[] {
  const calls = new Map<string, Call>();
  for (const [place, line] of lines.entries()) {
    const key = `${line.process} ${line.call}`;
    const call = calls.get(key);
    if (call !== undefined) {
      Object.assign(call, { to: place, answer: line.answer, id: line.id ?? call.id });
      continue;
    }
    const { process, method = "", urn = "", id } = line;
    const name = urn.slice(urn.lastIndexOf("::") + 2);
    calls.set(key, { process, method, name, id, notes: notesOf(line), from: place, to: Infinity, answer: undefined });
  }
  return [...calls.values()];
}

function notesOf({ isFirst, unknown = [] }: Line): string {
  const notes = [
    ...(isFirst === true ? ["no olds"] : []),
    ...(unknown.length > 0 ? [`unknown ${unknown.join(" ")}`] : []),
  ];
  return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

export function textOf(all: readonly Call[], objects: Objects): string {
  const calls = steady(all, objects);
  const processes = [...new Set(calls.map(({ process }) => process))];
  const words = calls.map((call, place) => {
    const before = calls[place - 1];
    const isBeside = before?.method === "delete" && call.method === "delete" && areTogether(before, call);
    const process = processes.indexOf(call.process) + 1;
    const isMoved = process !== (before === undefined ? 1 : processes.indexOf(before.process) + 1);
    return `${before === undefined ? "" : isBeside ? " & " : "; "}${isMoved ? `[process ${process}] ` : ""}${wordsOf(call, objects)}`;
  });
  return words.join("");
}

/** Both are under way at once. */
const areTogether = (a: Call, b: Call): boolean => a.from < b.to && b.from < a.to;

/** In the words of the calls. */
export function namesOf(ids: readonly string[], objects: Objects): string[] {
  return ids.map((id) => {
    const [name = id] = [...objects].find(([, known]) => known.includes(id)) ?? [];
    return objectOf(name, id, objects);
  });
}

function wordsOf({ method, name, id, notes, answer }: Call, objects: Objects): string {
  const object = id === undefined || id === "" ? name : objectOf(name, id, objects);
  return `${method} ${object}${notes}${answer === undefined ? "" : ` = ${answer}`}`;
}

function objectOf(name: string, id: string, objects: Objects): string {
  const known = objects.get(name) ?? [];
  if (!known.includes(id)) known.push(id);
  objects.set(name, known);
  const number = known.indexOf(id) + 1;
  return number > 1 ? `${name}#${number}` : name;
}

/**
 * The calls that the engine sends side by side come in any order, and so do the deletes of two objects of one resource:
 * sorted by object.
 */
function steady(calls: readonly Call[], objects: Objects): Call[] {
  const runs: Call[][] = [];
  const readBefore = new Set<string>();
  for (const call of calls) {
    const last = runs.at(-1);
    const isSide = isSideBySide(call, last, readBefore);
    if (call.method === "read") readBefore.add(call.name);
    if (last !== undefined && isSide) last.push(call);
    else runs.push([call]);
  }
  return runs.flatMap((run) => run.toSorted((a, b) => byObject(a, b, objects)));
}

function isSideBySide(call: Call, run: readonly Call[] | undefined, readBefore: ReadonlySet<string>): boolean {
  if (run === undefined) return false;
  if (call.method === "delete") {
    return run.every((other) => other.method === "delete" && (areTogether(other, call) || call.name === other.name));
  }
  const isReading = (other: Call): boolean => other.method === "read" || other.method === "diff";
  const isRefresh =
    call.method === "read" || (call.method === "diff" && call.notes === "" && readBefore.has(call.name));
  return isRefresh && run[0]?.method === "read" && run.every(isReading);
}

const ORDER = ["read", "diff", "delete"];

function byObject(a: Call, b: Call, objects: Objects): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  const known = objects.get(a.name) ?? [];
  const place = ({ id = "" }: Call): number => known.indexOf(id);
  return place(a) - place(b) || ORDER.indexOf(a.method) - ORDER.indexOf(b.method) || a.from - b.from;
}
