// Mistakes of a program, beside those of test/documents/firstWeek, each with all that a person reads of it in the preview.

import { expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import { check } from "../../provider/core/check";
import { resources } from "../../provider/kinds/index";
import type { Resource } from "../../provider/core/kind";
import { Memory } from "../../provider/core/runView";
import { SMALL } from "./scene";

const { service, vpc, readReplicaSet } = resources;
const net = { cidr: "10.0.0.0/24", regionCode: "us-east-1" };
const NOW = { serviceId: "s", strategy: "NOW" };
const AS_TEXT = "Calling [toString] on an [Output<T>] is not supported.";

function checked(resource: Resource, news: Values, olds: Values = {}, name = "orders", memory = new Memory()) {
  const context = { memory, adopt: [], account: { projectId: "p1" }, identity: { key: name, name } };
  return check(resource, { ...context, defaultName: `${name}-dev` }, olds, news);
}

// The full texts are in the snapshot.
test.each<[string, Resource, Values, Values?]>([
  ["units that are not sure", service, { cpuMillis: "2 cores", memoryGbs: "4096 MB" }],
  ["a strategy that is none", service, { forkFrom: { serviceId: "s", strategy: "LATER" } }],
  ["a region and addons of a fork", service, { forkFrom: NOW, regionCode: "us-east-1", addons: [] }],
  ["members of other names", service, { haReplicas: { count: 2 }, timeouts: { craete: "10m", retries: "3" } }],
  ["words that are not in the list", service, { waitFor: "accept", addons: ["timeseries"], onMissing: "recreat" }],
  [
    "durations in words",
    service,
    { timeouts: { create: "45 minutes", update: "1 h 30 m", delete: "soon", read: "2 moons" } },
  ],
  [
    "an output in a string",
    service,
    { password: `${AS_TEXT}\n\nTo get the value of an Output<T>…`, forkFrom: { ...NOW, serviceId: AS_TEXT } },
  ],
  ["empty texts", service, { regionCode: "", password: "", adoptId: "" }],
  ["an empty text in place of what cannot change", service, { regionCode: "" }, { regionCode: "us-east-1" }],
  ["a size that is no number", service, { cpuMillis: Number.NaN, memoryGbs: 4 }],
  ["a number without end", vpc, { ...net, cidr: Number.POSITIVE_INFINITY, regionCode: Number.NEGATIVE_INFINITY }],
  [
    "what is wrong beside or around an unknown value",
    service,
    {
      name: { of: UNKNOWN },
      addons: ["AI", UNKNOWN],
      haReplicas: { replicaCount: UNKNOWN, count: 1 },
      timeouts: { create: UNKNOWN, update: "soon" },
    },
  ],
  [
    "ids that lead elsewhere",
    service,
    { vpcId: "..", projectId: " ", adoptId: "svc\n1", forkFrom: { ...NOW, serviceId: "." } },
  ],
  ["a moment without its time", service, { forkFrom: { ...NOW, strategy: "PITR", targetTime: "2026-01-01" } }],
  ["sizes of a replica set as texts", readReplicaSet, { serviceId: "s1", nodes: "2", cpuMillis: "1", memoryGbs: 2 }],
  ["a block without its prefix", vpc, { ...net, cidr: "10.0.0.0" }],
  ["a block with leading zeros", vpc, { ...net, cidr: "010.0.0.0/24" }],
  ["a block of numbers that are too large", vpc, { ...net, cidr: "10.0.0.256/24" }],
  ["a prefix that is too long", vpc, { ...net, cidr: "10.0.0.0/33" }],
  ["host bits in a small block", vpc, { ...net, cidr: "192.168.1.129/25" }],
  ["host bits in the largest block", vpc, { ...net, cidr: "1.2.3.4/0" }],
])("%s is told with what is allowed", (_name, resource, news, olds) => {
  const { failures, warnings } = checked(resource, news, olds);
  expect([...failures, ...warnings.map((text) => `warning: ${text}`)]).toMatchSnapshot();
});

const ALL = { haReplicas: { replicaCount: 2, syncReplicaCount: 1 }, vpcId: UNKNOWN, poolerEnabled: true };
const FORK = { forkFrom: { serviceId: UNKNOWN, strategy: "NOW" }, haReplicas: { replicaCount: 1 } };
test.each<[string, Values, string | undefined, Values?, Resource?]>([
  ["one with the tag", { environment: "PROD" }, 'service o-dev: protected against deletion (environment: "PROD"); '],
  [
    "one with the flag",
    { deletionProtection: true },
    "service o-dev: protected against deletion (deletionProtection: true); ",
  ],
  ["one whose protection is off", { environment: "PROD", deletionProtection: false }, undefined],
  ["one that needs one call", { ...SMALL, haReplicas: { replicaCount: 1 } }, undefined],
  ["one that is adopted", { adoptId: "svc1", poolerEnabled: true, paused: true }, undefined],
  ["one that is there already", { environment: "PROD" }, undefined, { name: "o", environment: "DEV" }],
  ["one that is refused", { environment: "prod" }, undefined],
  [
    "one that needs every call",
    { ...ALL, password: UNKNOWN, paused: true },
    "service o-dev: createService, then setHA, attachToVPC, enablePooler, updatePassword, stop",
  ],
  ["a fork", FORK, "service o-dev: forkService, then setHA"],
  [
    "a replica set, which has no protection of its own",
    { serviceId: "s1", nodes: 1, ...SMALL, environment: "PROD", poolerEnabled: true },
    "read replica set o-dev: createReplicaSet, then setEnvironment, enablePooler",
    {},
    readReplicaSet,
  ],
])("a create names its calls, and that it is protected, for %s", (_name, news, words, olds, resource = service) => {
  const { notes } = checked(resource, news, olds, "o");
  expect(
    notes.map((note) => note.replace(/to unprotect it, set `deletionProtection: false` and run `pulumi up`$/, "")),
  ).toEqual(words === undefined ? [] : [words]);
});

test.each(["10.0.0.0/24", "10.0.0.5/32", "172.31.0.0/16", "192.168.1.128/25"])(
  "nothing is said of the block %s",
  (cidr) => {
    expect(checked(vpc, { ...net, cidr })).toMatchObject({ failures: [], warnings: [] });
  },
);

test("an entry of the state keeps its name, also when it is replaced, and a new one has the default", () => {
  const memory = new Memory();
  const nameOf = (olds: Values, resource = "orders"): unknown =>
    checked(service, SMALL, olds, resource, memory).inputs["name"];
  expect(nameOf({})).toBe("orders-dev");
  expect(nameOf({ ...SMALL, name: "of-0.1" })).toBe("of-0.1");
  // Pulumi: a replacement is checked as if it were new.
  expect(nameOf({})).toBe("of-0.1");
  expect(nameOf({}, "other")).toBe("other-dev");
});
