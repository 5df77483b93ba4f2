// Typical mistakes of a program, each with all that a person reads of it in the preview.

import { beforeEach, expect, test } from "vitest";
import { nearest } from "../../../provider/domain/values/nearest";
import { check, type Checked } from "../../../provider/lifecycle/handlers/check";
import { Memory } from "../../../provider/lifecycle/view/runView";
import { timeouts } from "../../../provider/domain/sharedFields";
import { peering } from "../../../provider/lifecycle/resources/peering";
import { readReplicaSet } from "../../../provider/lifecycle/resources/readReplicaSet";
import type { Resource } from "../../../provider/lifecycle/resources/resource";
import type { Values } from "../../../provider/domain/values/value";
import { service } from "../../../provider/lifecycle/resources/service";
import { vpc } from "../../../provider/lifecycle/resources/vpc";
import { UNKNOWN } from "../../../provider/domain/values/unknown";

let memory: Memory;
beforeEach(() => {
  memory = new Memory();
});

function checked(
  resource: Resource,
  news: Values,
  { olds = {}, name = "orders" }: { olds?: Values; name?: string } = {},
): Pick<Checked, "failures" | "warnings"> {
  const account = { projectId: "p1" };
  const context = { memory, adopt: [], account, identity: { key: name, name }, defaultName: `${name}-dev` };
  const { failures, warnings } = check(resource, context, olds, news);
  return { failures, warnings };
}

const error = (...failures: string[]): object => ({ failures, warnings: [] });
const warning = (...warnings: string[]): object => ({ failures: [], warnings });

const SIZE = 'a whole number of millicores, at least 1, or "shared"';
const MEMORY = 'a whole number of gigabytes, at least 1, or "shared"';
const net = { cidr: "10.0.0.0/24", regionCode: "us-east-1" };

test.each<[string, () => object, object]>([
  [
    "1. another provider's word for the region",
    () => checked(service, { region: "us-east-1" }),
    error("region: there is no such argument; did you mean regionCode?"),
  ],
  [
    "2. sizes as texts, as configuration has them",
    () => checked(service, { cpuMillis: "500", memoryGbs: "2" }),
    error(
      `cpuMillis: given "500"; allowed: ${SIZE}; did you mean 500?`,
      `memoryGbs: given "2"; allowed: ${MEMORY}; did you mean 2?`,
    ),
  ],
  [
    "3. cores in place of millicores",
    () => checked(service, { cpuMillis: 1, memoryGbs: 4 }),
    warning(
      "cpuMillis 1 with memoryGbs 4 is unusual: sizes have 250 millicores per GB; 1000 is one core, with memoryGbs 4",
    ),
  ],
  [
    "4. one size of the two",
    () => checked(service, { cpuMillis: 500 }),
    error("memoryGbs: is missing; allowed: both sizes or none (cpuMillis is given)"),
  ],
  [
    "5. a number of replicas in place of an object",
    () => checked(service, { haReplicas: 2 }),
    error(
      "haReplicas: given 2; allowed: replicaCount and, if wanted, syncReplicaCount, whole numbers of at least 0; did you mean { replicaCount: 2 }?",
    ),
  ],
  [
    "6. an environment in other letters",
    () => checked(service, { environment: "production" }),
    error('environment: given "production"; allowed: "DEV" or "PROD"; did you mean "PROD"?'),
  ],
  [
    "7. a block with host bits",
    () => checked(vpc, { ...net, cidr: "10.0.0.5/24" }),
    error(
      'cidr: given "10.0.0.5/24"; allowed: an IPv4 block like "10.0.0.0/24", its host bits all zero; did you mean "10.0.0.0/24"?',
    ),
  ],
  [
    "8. a region that is to change",
    () => checked(service, { regionCode: "eu-west-1" }, { olds: { name: "orders", regionCode: "us-east-1" } }),
    error(
      'regionCode: cannot change from "us-east-1" to "eu-west-1". The region of a service is fixed: keep it, or set `allowReplace: true` to make a new, empty service; the old one is then deleted with its data (fork or dump it first).',
    ),
  ],
  [
    "9. one name twice",
    () => {
      checked(service, { name: "shop" }, { name: "first" });
      return checked(service, { name: "shop" }, { name: "second" });
    },
    error(
      "name: service shop is declared twice, also by first. Give one of them another `name`, or set `allowDuplicateName: true`.",
    ),
  ],
  [
    "10. a fork to a moment that is not said",
    () => checked(service, { forkFrom: { serviceId: "svc1234567", strategy: "PITR" } }),
    error('forkFrom.targetTime: is missing; allowed: an RFC 3339 time, which the strategy "PITR" needs'),
  ],
  [
    "11. one addon in place of a list",
    () => checked(service, { addons: "ai" }),
    error('addons: given "ai"; allowed: a list of "time-series" and "ai"; did you mean ["ai"]?'),
  ],
  [
    "a member under another name",
    () => checked(service, { haReplicas: { count: 2 }, timeouts: { craete: "10m", retries: "3" } }),
    error(
      "haReplicas.count: there is no such member; did you mean replicaCount?",
      "timeouts.craete: there is no such member; did you mean create?",
      `timeouts.retries: there is no such member; allowed: ${timeouts.allowed}`,
    ),
  ],
  [
    "an account id as a number",
    () => checked(peering, { vpcId: "v1", peerAccountId: 1234, peerRegionCode: "us-east-1", peerVpcId: "vpc-1" }),
    error("peerAccountId: given 1234; allowed: a cloud account id; it must be a text, in quotes"),
  ],
  [
    "words that are nearly one of the list",
    () => checked(service, { waitFor: "accept", addons: ["timeseries"], onDelete: "explode" }),
    error(
      'addons.0: given "timeseries"; allowed: a list of "time-series" and "ai"; did you mean "time-series"?',
      'onDelete: given "explode"; allowed: "delete" or "stop"',
      'waitFor: given "accept"; allowed: "ready" or "accepting"; did you mean "accepting"?',
    ),
  ],
  [
    "12. sizes of a replica set as texts",
    () => checked(readReplicaSet, { serviceId: "s1", nodes: "2", cpuMillis: "1", memoryGbs: 2 }),
    error(
      'nodes: given "2"; allowed: a whole number, at least 1; did you mean 2?',
      'cpuMillis: given "1"; allowed: a whole number of millicores, at least 1; did you mean 1?',
    ),
  ],
  [
    "sizes that do not fit each other",
    () => {
      const warnings = [
        { cpuMillis: 1000, memoryGbs: 4096 },
        { cpuMillis: 2, memoryGbs: 4096 },
        { cpuMillis: 600, memoryGbs: 4 },
      ].flatMap((size) => checked(service, size).warnings);
      return { failures: [], warnings };
    },
    warning(
      "cpuMillis 1000 with memoryGbs 4096 is unusual: sizes have 250 millicores per GB; for cpuMillis 1000: memoryGbs 4",
      "cpuMillis 2 with memoryGbs 4096 is unusual: sizes have 250 millicores per GB; 2000 is 2 cores, with memoryGbs 8",
      "cpuMillis 600 with memoryGbs 4 is unusual: sizes have 250 millicores per GB; for memoryGbs 4: cpuMillis 1000",
    ),
  ],
  [
    "sizes with the units of other systems",
    () => checked(service, { cpuMillis: "1000m", memoryGbs: "4Gi" }),
    error(
      `cpuMillis: given "1000m"; allowed: ${SIZE}; did you mean 1000?`,
      `memoryGbs: given "4Gi"; allowed: ${MEMORY}; did you mean 4?`,
    ),
  ],
  [
    "units that are not sure",
    () => checked(service, { cpuMillis: "2 cores", memoryGbs: "4096 MB" }),
    error(`cpuMillis: given "2 cores"; allowed: ${SIZE}`, `memoryGbs: given "4096 MB"; allowed: ${MEMORY}`),
  ],
  [
    "durations in words",
    () => checked(service, { timeouts: { create: "45 minutes", update: "1 h 30 m", delete: "soon" } }),
    error(
      `timeouts.create: given "45 minutes"; allowed: ${timeouts.allowed}`,
      `timeouts.update: given "1 h 30 m"; allowed: ${timeouts.allowed}`,
      `timeouts.delete: given "soon"; allowed: ${timeouts.allowed}`,
    ),
  ],
  [
    "a block without its prefix",
    () => checked(vpc, { ...net, cidr: "10.0.0.0" }),
    error(
      'cidr: given "10.0.0.0"; allowed: an IPv4 block like "10.0.0.0/24", its host bits all zero; did you mean "10.0.0.0/24"?',
    ),
  ],
])("%s", (_name, look, expected) => {
  expect(look()).toEqual(expected);
});

test.each([
  ["region", "regionCode"],
  ["region_code", "regionCode"],
  ["regioncode", "regionCode"],
  ["regonCode", "regionCode"],
  ["cpu", "cpuMillis"],
  ["memory", "memoryGbs"],
  ["vpc", "vpcId"],
  ["pasword", "password"],
  ["deleteProtection", "deletionProtection"],
  ["deletion_protected", "deletionProtection"],
  ["allowDeletion", undefined],
  ["preferredMaintenanceWindow", undefined],
  ["zone", undefined],
  ["x", undefined],
  ["x".repeat(100_000), undefined],
])("%s is nearest to %s", (word, name) => {
  expect(nearest(word, Object.keys(service.fields))).toBe(name);
});

test("a create says which calls follow it and that it is protected, and only a create that is not refused", () => {
  const notesOf = (news: Values, olds: Values = {}, resource: Resource = service): string[] =>
    check(resource, { memory, adopt: [], identity: { key: "o", name: "o" }, defaultName: "o" }, olds, news).notes;
  const isProtected = (reason: string): string =>
    `service o: protected against deletion (${reason}); \`deletionProtection: false\` and \`pulumi up\` end that`;
  expect(notesOf({ environment: "PROD" })).toEqual([isProtected('environment: "PROD"')]);
  expect(notesOf({ deletionProtection: true })).toEqual([isProtected("deletionProtection: true")]);
  expect(notesOf({ environment: "PROD", deletionProtection: false })).toEqual([]);
  expect(notesOf({ environment: "DEV", cpuMillis: 500, memoryGbs: 2, haReplicas: { replicaCount: 1 } })).toEqual([]);
  expect(notesOf({ environment: "PROD" }, { name: "o", environment: "DEV" })).toEqual([]);
  // What is refused is not created.
  expect(notesOf({ environment: "prod" })).toEqual([]);
  const all = { haReplicas: { replicaCount: 2, syncReplicaCount: 1 }, vpcId: UNKNOWN, poolerEnabled: true };
  expect(notesOf({ ...all, password: UNKNOWN, paused: true })).toEqual([
    "service o: createService, then setHA, attachToVPC, enablePooler, updatePassword, stop",
  ]);
  const fork = { forkFrom: { serviceId: UNKNOWN, strategy: "NOW" }, environment: "DEV" };
  expect(notesOf({ ...fork, haReplicas: { replicaCount: 1 } })).toEqual(["service o: forkService, then setHA"]);
  const set = { serviceId: "s1", nodes: 1, cpuMillis: 500, memoryGbs: 2, environment: "PROD", poolerEnabled: true };
  expect(notesOf(set, {}, readReplicaSet)).toEqual([
    "read replica set o: createReplicaSet, then setEnvironment, enablePooler",
  ]);
});
