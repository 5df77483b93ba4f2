// The report as a page: one file that needs no network. It draws the live objects of the projects, with the findings on them.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { PageDocument, PageFinding, PageObject, PageRelation } from "../../page/schema";
import type { Condition } from "../../provider/domain/fields";
import { inWords, membersOf, pick, textOf, type Values, withoutUndefined } from "../../provider/domain/values/value";
import { isProtected } from "../../provider/core/protection";
import { projectOf } from "../../provider/core/state";
import type { LiveProject } from "./collect";
import type { Finding, Report } from "./findings";
import { keyOf, type StateEntry } from "./state";
import { summaryOf } from "./texts";
import { toldOf } from "./told";

const CONDITIONS: Readonly<Record<Condition, PageObject["condition"]>> = {
  settled: "settled",
  pending: "moving",
  deleting: "moving",
  failed: "failed",
};

export function pageOf(report: Report, live: readonly LiveProject[], entries: readonly StateEntry[]): PageDocument {
  const objects = live.flatMap((one) => objectsIn(one, entries));
  const gone = goneOf(report, objects, entries);
  return {
    format: "pulumi-dbcloud/page",
    version: 1,
    title: titleOf(report),
    at: report.at,
    summary: summaryOf(report),
    heading: "What the next `pulumi up --refresh` does",
    projects: report.projects,
    stacks: report.stacks.map(({ name }) => name),
    objects: [...objects, ...gone],
    relations: live.flatMap(relationsIn),
    findings: report.findings.map(findingOf),
    events: [],
  };
}

/** What the stacks have in common: `shop` of `shop/dev` and `shop/prod`. */
function titleOf({ stacks, projects }: Report): string {
  const names = [...new Set(stacks.map(({ name }) => name.split("/").at(-2) ?? name))];
  return names.length === 1 ? (names[0] ?? "") : projects.join(", ") || "drift";
}

/** What the page says of an object, where it has it. */
const SIZES = ["nodes", "cpuMillis", "memoryGbs", "poolerEnabled", "replicaCount", "syncReplicaCount"];
const PLACES = ["vpcId", "cidr", "regionCode", "peerVpcId", "peerAccountId", "peerRegionCode"];
const PROPERTIES = [...SIZES, ...PLACES, "environment", "errorMessage"];

function objectsIn({ projectId: project, objects }: LiveProject, entries: readonly StateEntry[]): PageObject[] {
  const here = entries.filter(({ outputs }) => (projectOf(outputs) ?? project) === project);
  return objects.map(({ key, kind, item, values }): PageObject => {
    const { id, name, condition } = item;
    const holders = here.filter((entry) => entry.kind === kind && entry.id === id && !entry.isToBeDeleted);
    const all: Values = { ...values, ...membersOf(values["haReplicas"]) };
    const shown = Object.entries(pick(all, PROPERTIES)).map(([property, value]) => [property, value ?? undefined]);
    const properties = Object.fromEntries(shown) as PageObject["properties"];
    const isKept = holders.some(({ outputs }) => isProtected(outputs));
    const status = textOf(values, "status") ?? (kind === "Vpc" ? "CREATED" : "");
    const createdAt = kind === "Service" ? textOf(values, "created") : undefined;
    return {
      key,
      kind,
      id,
      project,
      name,
      status,
      condition: ofService[`${kind} ${status.toUpperCase()}`] ?? CONDITIONS[condition],
      managedBy: holders.map(({ stack, name: resource }) => ({ stack, resource })),
      properties: withoutUndefined({ ...properties, ...(isKept && { deletionProtection: true }) }),
      ...(createdAt !== undefined && { createdAt }),
    };
  });
}

const ofService: Readonly<Record<string, PageObject["condition"]>> = {
  "Service PAUSED": "stopped",
  "Service UNSTABLE": "failed",
};

function relationsIn({ objects }: LiveProject): PageRelation[] {
  return objects.flatMap(({ key: from, kind, parent, values }): PageRelation[] => {
    if (parent !== undefined) return [{ is: "of", from, to: parent.key }];
    const [vpcId, source] = [textOf(values, "vpcId"), textOf(membersOf(values["forkedFrom"]), "serviceId")];
    if (kind !== "Service") return [];
    return [
      ...(vpcId === undefined ? [] : [{ is: "in" as const, from, to: keyOf("Vpc", vpcId) }]),
      ...(source === undefined ? [] : [{ is: "forkOf" as const, from, to: keyOf("Service", source) }]),
    ];
  });
}

/** What a stack has and the project does not; a picture without it would look whole. */
function goneOf({ findings }: Report, objects: readonly PageObject[], entries: readonly StateEntry[]): PageObject[] {
  const known = new Set(objects.map(({ key }) => key));
  return findings.flatMap((finding): PageObject[] => {
    if (finding.category !== "missing" || known.has(keyOf(finding.type, finding.id))) return [];
    const { type: kind, id, objectName, name, stack, urn, status = "gone" } = finding;
    const entry = entries.find((one) => one.urn === urn && one.stack === stack);
    const project = (entry && projectOf(entry.outputs)) ?? "";
    const managedBy = [{ stack, resource: name }];
    const shown = { name: objectName ?? name, status, condition: "gone" as const };
    return [{ key: keyOf(kind, id), kind, id, project, ...shown, managedBy, properties: {} }];
  });
}

function findingOf(finding: Finding): PageFinding {
  const places = finding.category === "unknown" ? finding.about : [finding];
  const about = places.map(({ type, id }) => keyOf(type, id));
  const stack = "urn" in finding ? finding.stack : undefined;
  const { title, program, live, details: _, ...told } = toldOf(finding);
  const values = told.property === undefined ? {} : { program: valueOf(program), live: valueOf(live) };
  return { category: finding.category, about, title, ...values, ...withoutUndefined({ stack, ...told }) };
}

/** Lists and objects as words. */
function valueOf(value: unknown): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "string" ? value : inWords(value);
}

/** The file: the page that the build made, and the document in it as data, which no text of a server can leave. */
export function asPage(document: PageDocument): string {
  const places = ["../page/page.html", "../../dist/page/page.html"].map((file) => path.join(__dirname, file));
  const page = readFileSync(places.find((file) => existsSync(file)) ?? "page.html", "utf8");
  const data = JSON.stringify(document).replaceAll("<", String.raw`\u003c`);
  const element = `<script type="application/json" id="document">${data}</script>`;
  return page.replace("<!--document-->", () => element);
}
