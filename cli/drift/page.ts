// The report as a page: one file that needs no network. It draws the live objects of the projects, with the findings on them.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { PageDocument, PageFinding, PageObject, PageRelation } from "../../page/schema";
import type { Condition } from "../../provider/domain/fields";
import { shellWord } from "../../provider/domain/values/printable";
import { inWords, show, withoutUndefined } from "../../provider/domain/values/value";
import { conditionOfPeering, type Peering } from "../../provider/kinds/peering/inputs";
import { conditionOfReplicaSet, type ReadReplicaSet } from "../../provider/kinds/readReplicaSet/inputs";
import { conditionOfService, type Service, serviceSize } from "../../provider/kinds/service/inputs";
import { conditionOfVpc, type Vpc } from "../../provider/kinds/vpc/inputs";
import { isProtected } from "../../provider/lifecycle/state/protection";
import { projectOf } from "../../provider/lifecycle/state/state";
import type { LiveProject } from "./collect";
import type { Category, Finding, Ignored, Report, Unmanaged } from "./findings";
import type { ClassName, StateEntry } from "./state";
import { nextOf, objectOf, placesOf, repairOf, summaryOf } from "./texts";

interface Found {
  objects: PageObject[];
  relations: PageRelation[];
}

const keyOf = (kind: ClassName, id: string): string => `${kind}/${id}`;

const CONDITIONS: Readonly<Record<Condition, PageObject["condition"]>> = {
  settled: "settled",
  pending: "moving",
  deleting: "moving",
  failed: "failed",
};

export function pageOf(report: Report, live: readonly LiveProject[], entries: readonly StateEntry[]): PageDocument {
  const { objects, relations } = live.reduce<Found>(
    (found, one) => {
      const own = foundIn(one, entries);
      return { objects: [...found.objects, ...own.objects], relations: [...found.relations, ...own.relations] };
    },
    { objects: [], relations: [] },
  );
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
    relations,
    findings: report.findings.map(findingOf),
    events: [],
  };
}

/** What the stacks have in common: `shop` of `shop/dev` and `shop/prod`. */
function titleOf({ stacks, projects }: Report): string {
  const names = [...new Set(stacks.map(({ name }) => name.split("/").at(-2) ?? name))];
  return names.length === 1 ? (names[0] ?? "") : projects.join(", ") || "drift";
}

function foundIn({ projectId: project, vpcs, services, peerings }: LiveProject, entries: readonly StateEntry[]): Found {
  const relations: PageRelation[] = [];
  const here = entries.filter(({ outputs }) => (projectOf(outputs) ?? project) === project);
  const add = (
    kind: ClassName,
    id: string,
    shown: Pick<PageObject, "name" | "status" | "condition">,
    properties: Record<string, string | number | boolean | undefined>,
  ): PageObject => {
    const holders = here.filter((entry) => entry.kind === kind && entry.id === id && !entry.isToBeDeleted);
    const isKept = holders.some(({ outputs }) => isProtected(outputs));
    return {
      key: keyOf(kind, id),
      kind,
      id,
      project,
      ...shown,
      managedBy: holders.map(({ stack, name }) => ({ stack, resource: name })),
      properties: withoutUndefined({ ...properties, ...(isKept && { deletionProtection: true }) }),
    };
  };
  const vpcOf = (item: Vpc): PageObject => {
    const { vpcId, name, cidr, regionCode, status } = item;
    const condition = CONDITIONS[conditionOfVpc(item)];
    return add("Vpc", vpcId, { name, status: status ?? "CREATED", condition }, { cidr, regionCode });
  };
  const peeringOf = (item: Peering, vpcId: string): PageObject => {
    const { peeringId, peerVpcId, peerAccountId, peerRegionCode, status = "", errorMessage } = item;
    relations.push({ is: "of", from: keyOf("Peering", peeringId), to: keyOf("Vpc", vpcId) });
    const shown = { name: peerVpcId, status, condition: CONDITIONS[conditionOfPeering(item)] };
    const message = errorMessage ?? undefined;
    return add("Peering", peeringId, shown, { peerVpcId, peerAccountId, peerRegionCode, errorMessage: message });
  };
  const serviceOf = (item: Service): PageObject => {
    const { serviceId, name, status, regionCode, environment, haReplicas, connectionPooler, forkedFrom } = item;
    const from = keyOf("Service", serviceId);
    const vpcId = item.vpcEndpoint?.vpcId;
    if (vpcId !== undefined) relations.push({ is: "in", from, to: keyOf("Vpc", vpcId) });
    const source = forkedFrom?.serviceId;
    if (source !== undefined) relations.push({ is: "forkOf", from, to: keyOf("Service", source) });
    const isStopped = status.toUpperCase() === "PAUSED";
    const condition = isStopped ? "stopped" : CONDITIONS[conditionOfService(item)];
    const service = add(
      "Service",
      serviceId,
      { name, status, condition: status.toUpperCase() === "UNSTABLE" ? "failed" : condition },
      {
        ...serviceSize(item),
        environment,
        regionCode,
        poolerEnabled: connectionPooler !== undefined && connectionPooler !== null,
        replicaCount: haReplicas?.replicaCount,
        syncReplicaCount: haReplicas?.syncReplicaCount,
        vpcId,
      },
    );
    return { ...service, createdAt: item.created };
  };
  const setOf = (item: ReadReplicaSet, serviceId: string): PageObject => {
    const { replicaSetId, name, status, nodes, cpuMillis, memoryGbs, environment } = item;
    relations.push({ is: "of", from: keyOf("ReadReplicaSet", replicaSetId), to: keyOf("Service", serviceId) });
    const shown = { name, status, condition: CONDITIONS[conditionOfReplicaSet(item)] };
    return add("ReadReplicaSet", replicaSetId, shown, { nodes, cpuMillis, memoryGbs, environment });
  };
  const objects = [
    ...vpcs.map(vpcOf),
    ...peerings.flatMap(({ vpcId, items }) => items.map((item) => peeringOf(item, vpcId))),
    ...services.map(serviceOf),
    ...services.flatMap(({ serviceId, readReplicaSets }) => readReplicaSets.map((item) => setOf(item, serviceId))),
  ];
  return { objects, relations };
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

type Words = Omit<PageFinding, "category" | "about" | "stack">;

/** What a finding is, what the next run does about it, and how to keep what is there. */
const forms: { readonly [C in Category]: (finding: Extract<Finding, { category: C }>) => Words } = {
  changed: ({ name, property, program, live, next }) => ({
    ...differing({ name, property, program, live }),
    next: nextOf(next),
    ...(live !== null && property !== "status" && { keep: `to keep it: \`${property}: ${show(live)}\`` }),
  }),
  ignored: (finding) => ({ ...differing(finding), next: "nothing: the program ignores it" }),
  moved: ({ name, property, recorded, live }) => ({
    ...differing({ name, property, program: recorded, live }),
    next: "`pulumi refresh` saves the new address",
  }),
  missing: ({ name, status = "gone", next }) => ({ title: `${name} is ${status}`, next: nextOf(next) }),
  unprotected: ({ name, lost, meaning, next }) => ({
    title: `${name}: ${lost === "tag" ? "its tag PROD" : "its protection"}`,
    next: [meaning, ...repairOf(next)].join("; "),
    keep: "to keep the protection: `deletionProtection: true`",
  }),
  attention: ({ name, status, meaning }) => ({ title: `${name} is ${status}`, next: meaning }),
  owed: ({ name, steps }) => ({ title: `${name} owes ${steps.join(", ")}`, next: "`pulumi up` does the rest" }),
  shared: (finding) => ({
    title: `${objectOf(finding)} is managed by ${placesOf(finding.holders)}`,
    next: "keep it in one stack, and remove it from the others: `pulumi state delete URN`",
  }),
  unmanaged: (finding) => ({
    title: `${objectOf(finding)} is in no stack`,
    next: "leaves it alone",
    ...(finding.pendingCreates !== undefined && {
      next: `possibly created by the interrupted create of ${placesOf(finding.pendingCreates)}`,
    }),
    command: `npx pulumi-dbcloud import ${shellWord(importName(finding))}`,
  }),
  unknown: ({ reason, remedy }) => ({ title: reason, ...(remedy !== undefined && { next: remedy }) }),
};

/** As `import` names it. */
function importName({ type, id, parentId = "" }: Pick<Unmanaged, "type" | "id" | "parentId">): string {
  const names = { Vpc: id, Service: id, Peering: `${parentId}/${id}`, ReadReplicaSet: `${parentId}/${id}` };
  const words = { Vpc: "vpc", Service: "service", Peering: "peering", ReadReplicaSet: "replica" };
  return `${words[type]}:${names[type]}`;
}

function differing({ name, property, program, live }: Pick<Ignored, "name" | "property" | "program" | "live">): Words {
  return { title: `${name}: ${property}`, property, program: valueOf(program), live: valueOf(live) };
}

function findingOf(finding: Finding): PageFinding {
  const places = finding.category === "unknown" ? finding.about : [finding];
  const about = places.map(({ type, id }) => keyOf(type, id));
  // The category of a finding names its own form.
  const words = (forms[finding.category] as (finding: Finding) => Words)(finding);
  return { category: finding.category, about, ...("urn" in finding && { stack: finding.stack }), ...words };
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
