// The types of findings, in the form of the JSON report; texts.ts has the words for people. Pure. docs/drift.md documents
// the form. Every change other than a new member raises REPORT_VERSION.

import type { ClassName } from "./state";

const REPORT_FORMAT = "pulumi-dbcloud/drift";
const REPORT_VERSION = 1;

/** A resource of a stack. */
export interface Place {
  stack: string;
  urn: string;
  /** Its name in the program. */
  name: string;
  type: ClassName;
  id: string;
  /** The object's own name, as recorded; a peering has none. */
  objectName?: string;
}

/** The effect of `pulumi up --refresh` on a finding. */
export interface NextUp {
  action: "update" | "replace" | "create" | "delete" | "refused" | "nothing";
  /** The calls of the API, in their order. */
  calls: string[];
  /** What users of the database notice: restarts, addresses that move, data that are lost. */
  effects: string[];
  /** The reason of a refusal, or the condition of the action. */
  reason?: string;
}

interface Differing extends Place {
  property: string;
  /** The program's last value. */
  program: unknown;
  /** The live value; null if there is none. */
  live: unknown;
}

/** A property that the program manages has another value. */
export interface Changed extends Differing {
  category: "changed";
  next: NextUp;
}

/** A property whose drift the program ignores (`ignoreChanges`). A refresh saves the live value. */
export interface Ignored extends Differing {
  category: "ignored";
}

/** An address that changed without the program; a refresh saves it. */
export interface Moved extends Place {
  category: "moved";
  property: string;
  recorded: unknown;
  live: unknown;
}

/** The object is gone, or is being deleted. */
export interface Missing extends Place {
  category: "missing";
  /** The server's status while the object is being deleted. */
  status?: string;
  next: NextUp;
}

/** The tag PROD, or the protection against deletion, differs from what the state or the program expects. */
export interface Unprotected extends Place {
  category: "unprotected";
  lost: "tag" | "protection";
  recorded: unknown;
  live: unknown;
  /** The consequence, as text. */
  meaning: string;
  /** Where the program sets the lost tag. */
  next?: NextUp;
}

/** Clients may not reach it, or changes of it fail, and no run does anything about that. */
export interface Attention extends Place {
  category: "attention";
  status: string;
  /** What to do, as text. */
  meaning: string;
}

/** An interrupted run left something to do. */
export interface Owed extends Place {
  category: "owed";
  steps: string[];
  /** The state notes a pending create, whatever its outcome. Only `pulumi refresh --clear-pending-creates` removes the note. */
  isPendingCreate?: true;
}

/** Several resources hold one object. */
export interface Shared {
  category: "shared";
  type: ClassName;
  id: string;
  objectName?: string;
  holders: Pick<Place, "stack" | "urn" | "name">[];
}

/** An object that no given stack manages. */
export interface Unmanaged {
  category: "unmanaged";
  type: ClassName;
  id: string;
  objectName?: string;
  projectId: string;
  /** The VPC of a peering, the service of a read replica set. */
  parentId?: string;
  status?: string;
  createdAt?: string;
  ageMs?: number;
  cpuMillis?: number | "shared";
  memoryGbs?: number | "shared";
  regionCode?: string;
  environment?: string;
  vpcId?: string;
  cidr?: string;
  /** The interrupted creates that may have made it: they have the same name. */
  pendingCreates?: Pick<Place, "stack" | "urn" | "name">[];
  /** The number of objects in it, which are not reported separately. */
  readReplicaSets?: number;
}

/** Something could not be read, so its drift is unknown. */
export interface Unknown {
  category: "unknown";
  /** The resources that could not be compared; empty if a list or a stack could not be read. */
  about: Pick<Place, "stack" | "urn" | "name" | "type" | "id">[];
  /** The project whose lists could not be read. */
  projectId?: string;
  /** The stack that could not be read, as it was asked for. */
  stack?: string;
  reason: string;
  remedy?: string;
}

export type Finding =
  | Changed
  | Moved
  | Missing
  | Unprotected
  | Attention
  | Ignored
  | Owed
  | Shared
  | Unmanaged
  | Unknown;

export type Category = Finding["category"];

/** In the order of the report. */
const noneOfEach: Readonly<Record<Category, number>> = {
  unknown: 0,
  changed: 0,
  moved: 0,
  missing: 0,
  unprotected: 0,
  attention: 0,
  ignored: 0,
  owed: 0,
  shared: 0,
  unmanaged: 0,
};

export const CATEGORIES = Object.keys(noneOfEach) as Category[];

export interface Report {
  format: typeof REPORT_FORMAT;
  version: typeof REPORT_VERSION;
  /** When it was made, RFC 3339. */
  at: string;
  outcome: "in-sync" | "drift" | "unknown";
  exitCode: 0 | 1 | 2;
  stacks: { name: string; resources: number }[];
  projects: string[];
  counts: Record<Category, number>;
  findings: Finding[];
}

/** `failOn`: the categories that count as drift. */
export function reportOf(
  { stacks, projects, findings }: Pick<Report, "stacks" | "projects" | "findings">,
  failOn: readonly Category[],
  atMs: number,
): Report {
  const sorted = CATEGORIES.flatMap((category) => findings.filter((finding) => finding.category === category));
  const counts = { ...noneOfEach };
  for (const { category } of findings) counts[category] += 1;
  const outcome = outcomeOf(counts, failOn);
  return {
    format: REPORT_FORMAT,
    version: REPORT_VERSION,
    at: new Date(atMs).toISOString(),
    outcome,
    exitCode: { "in-sync": 0, drift: 2, unknown: 1 }[outcome] as Report["exitCode"],
    stacks,
    projects,
    counts,
    findings: sorted,
  };
}

/** Unreadable parts always count, because an incomplete report must not pass as a good one. */
function outcomeOf(counts: Report["counts"], failOn: readonly Category[]): Report["outcome"] {
  if (counts.unknown > 0) return "unknown";
  return failOn.some((category) => counts[category] > 0) ? "drift" : "in-sync";
}
