// The document as the page needs it: objects by key, what belongs to what, and what has happened by run. Pure.

import type { PageDocument, PageEvent, PageFinding, PageObject, PagePatch, PageRelation } from "./schema";

export interface Model {
  readonly title: string;
  readonly at: string;
  readonly summary: string;
  readonly heading: string;
  readonly projects: readonly string[];
  readonly stacks: readonly string[];
  readonly objects: ReadonlyMap<string, PageObject>;
  readonly relations: readonly PageRelation[];
  readonly findings: readonly PageFinding[];
  /** Oldest first. */
  readonly events: ReadonlyMap<string, PageEvent>;
}

/** A VPC with what is in it, or everything outside of them. */
export interface Net {
  readonly vpc: PageObject | undefined;
  readonly services: readonly PageObject[];
  readonly peerings: readonly PageObject[];
}

export interface Network {
  readonly nets: readonly Net[];
  /** Of a service. */
  readonly setsOf: ReadonlyMap<string, readonly PageObject[]>;
  readonly sourceOf: ReadonlyMap<string, PageObject>;
  readonly forksOf: ReadonlyMap<string, readonly PageObject[]>;
  readonly findingsOf: ReadonlyMap<string, readonly PageFinding[]>;
}

/** As many events as are kept: a long session must not fill the memory of a tab. */
const MOST_EVENTS = 4_000;

export function modelOf(given: PageDocument): Model {
  return {
    ...given,
    objects: new Map(given.objects.map((one) => [one.key, one])),
    events: new Map(given.events.map((one) => [one.id, one])),
  };
}

export function patched(model: Model, patch: PagePatch): Model {
  const objects = new Map(model.objects);
  for (const key of patch.gone) objects.delete(key);
  for (const one of patch.objects) objects.set(one.key, one);
  const events = new Map(model.events);
  for (const one of patch.events) events.set(one.id, one);
  for (const id of events.keys()) {
    if (events.size <= MOST_EVENTS) break;
    events.delete(id);
  }
  return {
    ...model,
    at: patch.at,
    summary: patch.summary,
    objects,
    events,
    relations: patch.relations ?? model.relations,
    findings: patch.findings ?? model.findings,
  };
}

export function networkOf({ objects, relations, findings }: Model): Network {
  const inVpc = new Map<string, string>();
  const owned = new Map<string, PageObject[]>();
  const sourceOf = new Map<string, PageObject>();
  const forksOf = new Map<string, PageObject[]>();
  for (const { is, from, to } of relations) {
    const [one, other] = [objects.get(from), objects.get(to)];
    if (one === undefined) continue;
    if (is === "in" && other !== undefined) inVpc.set(from, to);
    if (is === "of") owned.set(to, [...(owned.get(to) ?? []), one]);
    if (is !== "forkOf" || other === undefined) continue;
    sourceOf.set(from, other);
    forksOf.set(to, [...(forksOf.get(to) ?? []), one]);
  }
  const findingsOf = new Map<string, PageFinding[]>();
  for (const finding of findings)
    for (const key of finding.about) findingsOf.set(key, [...(findingsOf.get(key) ?? []), finding]);

  const vpcs: PageObject[] = [];
  const members = new Map<string, PageObject[]>();
  for (const one of objects.values()) {
    if (one.kind === "Vpc") vpcs.push(one);
    if (one.kind !== "Service") continue;
    const net = inVpc.get(one.key) ?? "";
    const own = members.get(net) ?? [];
    own.push(one);
    members.set(net, own);
  }
  const netOf = (vpc: PageObject | undefined): Net => ({
    vpc,
    services: (members.get(vpc?.key ?? "") ?? []).toSorted(byName),
    peerings: (owned.get(vpc?.key ?? "") ?? []).toSorted(byName),
  });
  const nets = [...vpcs.toSorted(byName).map(netOf), netOf(undefined)];
  return {
    nets: nets.filter(({ vpc, services }) => vpc !== undefined || services.length > 0),
    setsOf: owned,
    sourceOf,
    forksOf,
    findingsOf,
  };
}

const byName = (one: PageObject, other: PageObject): number =>
  one.name < other.name ? -1 : Number(one.name > other.name);

/** What a finding is to a reader: one of four, each with a colour and a word. */
export type Tone = "drift" | "attention" | "unmanaged" | "note";

const TONES: Readonly<Record<PageFinding["category"], Tone>> = {
  changed: "drift",
  moved: "drift",
  missing: "drift",
  unprotected: "drift",
  shared: "attention",
  unknown: "attention",
  attention: "attention",
  owed: "attention",
  ignored: "note",
  unmanaged: "unmanaged",
};

export const toneOf = ({ category }: PageFinding): Tone => TONES[category];

const WORDS: Readonly<Record<Tone, string>> = {
  drift: "drifted",
  attention: "wants attention",
  unmanaged: "unmanaged",
  note: "ignored by the program",
};

export const wordOf = (tone: Tone): string => WORDS[tone];

const ORDER: readonly Tone[] = ["drift", "attention", "unmanaged", "note"];

/** The gravest. */
export function worstOf(findings: readonly PageFinding[]): Tone | undefined {
  return ORDER.find((tone) => findings.some((one) => toneOf(one) === tone));
}

/** How many objects have a finding of each tone as their gravest; a finding without an object counts as one. */
export function countsOf({ findings }: Model, { findingsOf }: Network): ReadonlyMap<Tone, number> {
  const homeless = findings.filter(({ about }) => about.length === 0).map((one) => [one]);
  const worst = [...findingsOf.values(), ...homeless].map(worstOf);
  return new Map(
    ORDER.map((tone) => [tone, worst.filter((one) => one === tone).length] as const).filter(([, count]) => count > 0),
  );
}

/** What one program did at a stretch. */
export interface Run {
  readonly id: string;
  readonly program: string;
  readonly from: number;
  readonly to: number;
  /** Newest last. */
  readonly events: readonly PageEvent[];
}

/** A run is over when its program has been silent for this long. */
const SILENCE_MS = 10_000;

export function runsOf(events: Iterable<PageEvent>): Run[] {
  const runs: (Omit<Run, "to" | "events"> & { to: number; events: PageEvent[] })[] = [];
  const last = new Map<string, (typeof runs)[number]>();
  for (const event of events) {
    const at = Date.parse(event.at);
    const program = event.program ?? event.by;
    const known = last.get(program);
    if (known !== undefined && at - known.to <= SILENCE_MS) {
      known.events.push(event);
      known.to = Math.max(known.to, endOf(event));
      continue;
    }
    const run = { id: event.id, program, from: at, to: endOf(event), events: [event] };
    runs.push(run);
    last.set(program, run);
  }
  return runs;
}

/** When the last phase ends that is known. */
export function endOf({ at, phases = [] }: PageEvent): number {
  return Date.parse(at) + phases.reduce((sum, { ms = 0 }) => sum + ms, 0);
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s` : `${(minutes / 60).toFixed(1)} h`;
}

/** `1 CPU · 4 GB`; "" for what has no size. */
export function sizeOf({ properties: { cpuMillis, memoryGbs } }: PageObject): string {
  if (cpuMillis === "shared") return "shared";
  if (typeof cpuMillis !== "number" || typeof memoryGbs !== "number") return "";
  return `${cpuMillis / 1_000} CPU · ${memoryGbs} GB`;
}

export function textOf(value: PageObject["properties"][string] | undefined): string {
  return value === null || value === undefined ? "none" : String(value);
}

const FORM = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

export const moment = (at: string): string => `${FORM.format(new Date(at))} UTC`;
