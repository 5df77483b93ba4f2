// The document that the page draws: what there is, how it belongs together, what is found, and what has happened. `drift` and
// the emulator each make one; docs/page.schema.json is this schema as JSON Schema. The page uses the types alone.

import { z } from "zod";

export const DOCUMENT_FORMAT = "pulumi-dbcloud/page";
export const DOCUMENT_VERSION = 1;

const text = z.string();
const optionalText = text.exactOptional();
/** RFC 3339. */
const moment = text.meta({ format: "date-time" });
const ms = z.number().min(0);
const value = z.union([text, z.number(), z.boolean(), z.null()]);

/** One thing of the network. */
const pageObject = z.strictObject({
  key: text.describe("Unique in the document: relations, findings and events name it"),
  kind: z.enum(["Vpc", "Peering", "Service", "ReadReplicaSet"]),
  id: text,
  name: text.describe("Its own name, or what stands for one"),
  project: text,
  status: text.describe("The word of the server"),
  condition: z
    .enum(["settled", "moving", "stopped", "failed", "gone"])
    .describe("What the word means. `gone`: a stack has it, and it is not there"),
  managedBy: z
    .array(z.strictObject({ stack: text, resource: text }))
    .exactOptional()
    .describe("The resources that manage it; empty: none does"),
  createdAt: moment.exactOptional(),
  properties: z.record(text, value).describe("By the names of inputs and outputs"),
  logs: z.int().exactOptional().describe("How many log lines it has"),
});

const relation = z.strictObject({
  is: z
    .enum(["in", "of", "forkOf"])
    .describe("A service in a VPC, a peering or a read replica set of its owner, a fork of its source"),
  from: text,
  to: text,
});

const finding = z.strictObject({
  /** As in the JSON report of `drift`; `changed` by hand, and `unmanaged`, in the emulator. */
  category: z.enum([
    "unknown",
    "changed",
    "moved",
    "missing",
    "unprotected",
    "attention",
    "ignored",
    "owed",
    "shared",
    "unmanaged",
  ]),
  about: z.array(text).describe("The keys of objects"),
  title: text,
  stack: optionalText,
  property: optionalText,
  program: value.exactOptional().describe("What the program says, or what was recorded"),
  live: value.exactOptional(),
  next: optionalText.describe("What the next run does about it, and what users of the database notice"),
  keep: optionalText.describe("How to keep what is there"),
  command: optionalText.describe("A command to copy"),
});

const phase = z.strictObject({
  status: text,
  ms: ms.exactOptional().describe("Absent while it lasts"),
});

/** A change of an object, or a request; both have a time and somebody who asked. */
const event = z.strictObject({
  id: text,
  is: z.enum(["change", "request"]),
  at: moment,
  title: text,
  by: text.describe("Who asked: a caller of the API, or somebody by hand"),
  program: optionalText.describe("The program that sent it, as it calls itself"),
  about: optionalText.describe("The key of the object that it is about"),
  request: optionalText,
  code: z.int().exactOptional().describe("The status code of the answer; absent if there was none"),
  note: optionalText.describe("What a change made different, a refusal, or the fault that applied"),
  phases: z.array(phase).exactOptional().describe("Of a change, one after the other"),
});

export const documentSchema = z.strictObject({
  format: z.literal(DOCUMENT_FORMAT),
  version: z.literal(DOCUMENT_VERSION),
  title: text,
  at: moment.describe("When it was made"),
  summary: text.describe("One sentence about the whole"),
  heading: text.describe("What the findings together are called"),
  projects: z.array(text),
  stacks: z.array(text),
  objects: z.array(pageObject),
  relations: z.array(relation),
  findings: z.array(finding),
  events: z.array(event),
});

export type PageDocument = z.infer<typeof documentSchema>;
export type PageObject = z.infer<typeof pageObject>;
export type PageRelation = z.infer<typeof relation>;
export type PageFinding = z.infer<typeof finding>;
export type PageEvent = z.infer<typeof event>;

/** What changed since: the console sends it instead of the whole. */
export interface PagePatch {
  at: string;
  summary: string;
  /** New ones, and those that differ. */
  objects: PageObject[];
  gone: string[];
  /** Absent: as before. */
  relations?: PageRelation[];
  findings?: PageFinding[];
  /** New ones, and those that go on. */
  events: PageEvent[];
}

/** What the console shows and changes beside the document. */
export interface Controls {
  clock: { now: number; isFrozen: boolean };
  faults: { id: string; text: string; hits: number }[];
}
