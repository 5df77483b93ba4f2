// The types of findings, as the JSON report has them; texts.ts has the words for people. Pure. The shape is documented in
// docs/drift.md; what changes in it that is more than a new member raises REPORT_VERSION.

import type { KindName } from "./kinds";

export const REPORT_FORMAT = "pulumi-dbcloud/drift";
export const REPORT_VERSION = 1;

/** In the order of the report. */
export const CATEGORIES = [
  "unknown",
  "changed",
  "moved",
  "missing",
  "unprotected",
  "owed",
  "shared",
  "unmanaged",
] as const;

export type Category = (typeof CATEGORIES)[number];

/** A resource of a stack. */
export interface Place {
  stack: string;
  urn: string;
  /** Its name in the program. */
  name: string;
  type: KindName;
  id: string;
  /** The object's own name, as recorded; a peering has none. */
  objectName?: string;
}

/** What `pulumi up --refresh` does about it. */
export interface NextUp {
  action: "update" | "replace" | "create" | "delete" | "refused" | "nothing";
  /** The calls of the API, in their order. */
  calls: string[];
  /** What users of the database notice: restarts, addresses that move, data that are lost. */
  effects: string[];
  /** Why it is refused, or on what it depends. */
  reason?: string;
}

/** A property that the program manages has another value. */
export interface Changed extends Place {
  category: "changed";
  property: string;
  /** What the program last said. */
  program: unknown;
  /** Null: there is nothing. */
  live: unknown;
  next: NextUp;
}

/** An address that nobody asked to change; a refresh saves it. */
export interface Moved extends Place {
  category: "moved";
  property: string;
  recorded: unknown;
  live: unknown;
}

/** The object is gone, or is being deleted. */
export interface Missing extends Place {
  category: "missing";
  /** The server's word while it is being deleted. */
  status?: string;
  next: NextUp;
}

/** The tag PROD, or the protection against deletion, is not what the state or the program counts on. */
export interface Unprotected extends Place {
  category: "unprotected";
  lost: "tag" | "protection";
  recorded: unknown;
  live: unknown;
  /** What that means, in words. */
  meaning: string;
}

/** An interrupted run left something to do. */
export interface Owed extends Place {
  category: "owed";
  steps: string[];
  /** The state keeps a note of a create, whatever came of it; only `pulumi refresh --clear-pending-creates` takes it out. */
  isPendingCreate?: true;
}

/** Several resources hold one object. */
export interface Shared {
  category: "shared";
  type: KindName;
  id: string;
  objectName?: string;
  holders: Pick<Place, "stack" | "urn" | "name">[];
}

/** An object that no given stack manages. */
export interface Unmanaged {
  category: "unmanaged";
  type: KindName;
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
  /** The creates without a recorded end that may have made it: their name is its name. */
  pendingCreates?: Pick<Place, "stack" | "urn" | "name">[];
  /** How much is in it, which is not named on its own. */
  readReplicaSets?: number;
}

/** Something could not be read, so that nobody can say whether it is as it should be. */
export interface Unknown {
  category: "unknown";
  /** The resources that could not be compared; empty when the lists themselves are concerned. */
  about: Pick<Place, "stack" | "urn" | "name" | "type" | "id">[];
  /** The project whose lists could not be read. */
  projectId?: string;
  reason: string;
  remedy?: string;
}

export type Finding = Changed | Moved | Missing | Unprotected | Owed | Shared | Unmanaged | Unknown;

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

export interface ReportParts {
  atMs: number;
  stacks: Report["stacks"];
  projects: readonly string[];
  findings: readonly Finding[];
  /** The categories that count as drift. */
  failOn: readonly Category[];
}

export function reportOf({ atMs, stacks, projects, findings, failOn }: ReportParts): Report {
  const sorted = CATEGORIES.flatMap((category) => findings.filter((finding) => finding.category === category));
  const counts = Object.fromEntries(
    CATEGORIES.map((category) => [category, sorted.filter((finding) => finding.category === category).length]),
  ) as Record<Category, number>;
  const outcome = outcomeOf(counts, failOn);
  return {
    format: REPORT_FORMAT,
    version: REPORT_VERSION,
    at: new Date(atMs).toISOString(),
    outcome,
    exitCode: { "in-sync": 0, drift: 2, unknown: 1 }[outcome] as Report["exitCode"],
    stacks,
    projects: [...projects],
    counts,
    findings: sorted,
  };
}

/** What could not be read always counts: a report that is not complete must not pass for a good one. */
function outcomeOf(counts: Report["counts"], failOn: readonly Category[]): Report["outcome"] {
  if (counts.unknown > 0) return "unknown";
  return failOn.some((category) => counts[category] > 0) ? "drift" : "in-sync";
}
