// What an answer does not show is no value: for every optional member of the contract, in lists that are poorer than single
// reads, and in all answers. That each form of "no value" says the same is shown where answers are read.

import { describe, expect, test } from "vitest";
import type { OperationName } from "../../emulator/index";
import type { Values } from "../../provider/domain/values/value";
import { optionalIn, Peering, ReadReplicaSet, Service, type Shape, Vpc } from "../contract/shapes";
import type { Kept } from "../support/world";
import { done, fault, type KINDS, LARGE, NET, PEER, refreshed, setOf, SMALL, useWorld, world } from "./scene";

type Form = "absent" | "zero";
type Kind = (typeof KINDS)[number];

interface Row {
  kind: Kind;
  shape: Shape;
  /** Members whose absence in a read of a settled object says that it has none of it, with what a refresh then records. */
  none: Readonly<Record<string, Values>>;
  /** Members that have another row, or that no read shows. */
  except: RegExp;
}

const NO_POOLER = { poolerEnabled: false, connectionPooler: undefined, poolerHost: undefined, poolerPort: undefined };

const ROWS = {
  "service in a VPC": {
    kind: "service",
    shape: Service,
    none: {
      connection_pooler: NO_POOLER,
      "connection_pooler.endpoint": NO_POOLER,
      ha_replicas: { haReplicas: { replicaCount: 0, syncReplicaCount: 0 } },
      "ha_replicas.sync_replica_count": { haReplicas: { replicaCount: 2, syncReplicaCount: 0 } },
      log_exporter_id: { logExporterId: undefined },
      metric_exporter_id: { metricExporterId: undefined },
    },
    // Its sets and its public address have rows below; one of two spellings, and only the answer of a create.
    except: /^(read_replica_sets|endpoint\b|vpcEndpoint|initial_password)/,
  },
  "service with a public address": { kind: "service", shape: Service, none: {}, except: /^(?!endpoint\b)/ },
  "read replica set": {
    kind: "readReplicaSet",
    shape: ReadReplicaSet,
    none: { connection_pooler: NO_POOLER, "connection_pooler.endpoint": NO_POOLER },
    except: /^$/,
  },
  // Contract: without a status. API: newer deployments send one.
  VPC: { kind: "vpc", shape: { ...Vpc, "status?": "string" }, none: { status: { status: undefined } }, except: /^$/ },
  peering: { kind: "peering", shape: Peering, none: { error_message: { errorMessage: undefined } }, except: /^$/ },
} as const satisfies Record<string, Row>;

type Name = keyof typeof ROWS;

const kept: Partial<Record<Name, Kept>> = {};
const args: Partial<Record<Name, Values>> = {};

useWorld({ switches: { vpcEndpointSpelling: "vpc_endpoint", vpcStatus: true } }, async () => {
  const make = async (name: Name, given: Values): Promise<Kept> => {
    args[name] = given;
    return (kept[name] = await done(world[ROWS[name].kind].create(given)));
  };
  const { id: vpcId } = await make("VPC", NET);
  await make("peering", { ...PEER, vpcId });
  const parent = await make("service with a public address", { name: "parent", ...LARGE });
  await make("read replica set", setOf(parent, { poolerEnabled: true, environment: "PROD" }));
  const service = await make("service in a VPC", {
    name: "orders",
    ...LARGE,
    forkFrom: { serviceId: parent.id, strategy: "NOW" },
    environment: "PROD",
    haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    poolerEnabled: true,
    vpcId,
  });
  const wire = { log_exporter_id: "log-1", metric_exporter_id: "metric-1", data_tiering: { enabled: true } };
  world.emulator.mutate.service(service.id, { wire });
  kept["service in a VPC"] = await refreshed(service);
});

function keptOf(name: Name): { one: Kept; given: Values } {
  const [one, given] = [kept[name], args[name]];
  if (one === undefined || given === undefined) throw new Error(`${name} was not made`);
  return { one, given };
}

/** Members of the object are not shown from now on. */
function hide(name: Name, members: Readonly<Record<string, Form>>, where: "lists" | undefined): void {
  const isSet = ROWS[name].kind === "readReplicaSet";
  // A service shows its sets.
  const prefix = isSet ? "read_replica_sets." : "";
  const ids = [keptOf(isSet ? "service with a public address" : name).one.id];
  const forms = Object.fromEntries(Object.entries(members).map(([member, form]) => [prefix + member, form]));
  // What a list shows of another object, it would show of this one.
  const at = where === undefined ? { ids } : { in: where };
  fault({ kind: "members", members: forms, times: Infinity, ...at });
}

/** The state after a refresh in a new run that begins with a list. */
async function seenWhile(
  name: Name,
  members: Readonly<Record<string, Form>>,
  where: "lists" | undefined,
): Promise<Kept> {
  hide(name, members, where);
  world.nextRun();
  await world.session.services("proj000001").list();
  return refreshed(keptOf(name).one, ROWS[name].kind);
}

/** What the refresh has changed, and what an update would do and does. */
async function effectsOf(name: Name, seen: Kept): Promise<unknown> {
  const handlers = world[ROWS[name].kind];
  const { given } = keptOf(name);
  const { properties, replaces, operations } = handlers.preview(seen, given);
  const isUpdated = (await handlers.update(seen, given)) !== seen;
  return { outputs: seen.outputs, properties, replaces, operations, isUpdated, calls: world.calls() };
}
const nothing = (name: Name): unknown => {
  const { outputs } = keptOf(name).one;
  return { outputs, properties: [], replaces: [], operations: [], isUpdated: false, calls: [] };
};

describe.each(Object.keys(ROWS) as Name[])("of a %s", (name) => {
  const { shape, none, except }: Row = ROWS[name];
  const members = [...optionalIn(shape)]
    .map(([path]) => path.replaceAll(".0.", "."))
    .filter((path) => !except.test(path));

  test.each(members)("%s in lists is no drift, no plan, and clears nothing", async (member) => {
    expect(await effectsOf(name, await seenWhile(name, { [member]: "absent" }, "lists"))).toEqual(nothing(name));
  });

  test.each(members.filter((member) => !(member in none)))(
    "%s in all answers is no drift and no plan",
    async (member) => {
      expect(await effectsOf(name, await seenWhile(name, { [member]: "absent" }, undefined))).toEqual(nothing(name));
    },
  );

  const rows = Object.entries(none);
  test.each(rows)("%s in a read of it is none", async (member, recorded) => {
    expect(members).toContain(member);
    const { outputs } = await seenWhile(name, { [member]: "absent" }, undefined);
    for (const [key, value] of Object.entries(recorded)) expect({ [key]: outputs[key] }).toEqual({ [key]: value });
    expect(world.calls()).toEqual([]);
  });
});

test.each([
  ["lists", "zero"],
  ["lists", "absent"],
  [undefined, "zero"],
] as const)("a service that shows no resources (in %s, %s) keeps those that were seen", async (where, form) => {
  const name = "service in a VPC";
  expect(keptOf(name).one.outputs["resources"]).toHaveLength(1);
  expect(await effectsOf(name, await seenWhile(name, { resources: form }, where))).toEqual(nothing(name));
});

test("no VPC is a public address in its place", async () => {
  const { id } = keptOf("service in a VPC").one;
  world.emulator.mutate.service(id, { wire: { endpoint: { host: "orders.example.com", port: 5432 } } });
  const { outputs } = await seenWhile("service in a VPC", { vpc_endpoint: "absent" }, undefined);
  expect([outputs["vpcId"], outputs["vpcEndpoint"], outputs["host"]]).toEqual([
    undefined,
    undefined,
    "orders.example.com",
  ]);
});

test.each(["PAUSED", "CONFIGURING"])("a service that is %s and shows no pooler still has it", async (status) => {
  const { id, outputs } = keptOf("service in a VPC").one;
  world.emulator.mutate.service(id, { status });
  const seen = await seenWhile("service in a VPC", { connection_pooler: "absent" }, undefined);
  expect([seen.outputs["poolerEnabled"], seen.outputs["poolerHost"]]).toEqual([true, outputs["poolerHost"]]);
});

test("no replicas is a number", async () => {
  const seen = await seenWhile("service in a VPC", { "ha_replicas.replica_count": "zero" }, undefined);
  expect(seen.outputs["haReplicas"]).toMatchObject({ replicaCount: 0 });
});

test.each<[OperationName, Values, member: string, where?: "lists"]>([
  ["resize", SMALL, "resources.spec"],
  ["resize", SMALL, "resources.spec.cpu_millis"],
  ["setEnvironment", { environment: "DEV" }, "metadata"],
  ["setEnvironment", { environment: "DEV" }, "metadata.environment"],
  ["setHA", { haReplicas: { replicaCount: 0 } }, "ha_replicas.replica_count"],
  ["setHA", { haReplicas: { replicaCount: 0 } }, "ha_replicas", "lists"],
  ["disablePooler", { poolerEnabled: false }, "connection_pooler", "lists"],
  ["disablePooler", { poolerEnabled: false }, "connection_pooler.endpoint", "lists"],
  ["detachFromVPC", { vpcId: undefined }, "vpc_endpoint.vpc_id"],
  ["detachFromVPC", { vpcId: undefined }, "vpc_endpoint", "lists"],
])("%s to %j is not proven by answers without %s", async (operation, change, member, where) => {
  const { one, given } = keptOf("service in a VPC");
  // Accepted, and without effect. With two that wait, lists are read.
  for (const of of [operation, "enablePooler"] as const) {
    fault({ kind: "garbage", body: "", status: 202, operation: of, times: Infinity });
  }
  world.nextRun();
  const timeouts = { update: "20m" };
  const other = keptOf("service with a public address");
  const waiting = world.service.update(other.one, { ...other.given, poolerEnabled: true, timeouts });
  world.onRequest((request) => {
    if (request.operation === operation) hide("service in a VPC", { [member]: "absent" }, where);
  });
  const { failed } = await world.service.update(one, { ...given, ...change, timeouts });
  expect(failed).toMatch(/: not done after/);
  expect(world.requestsOf("listServices").length).toBeGreaterThan(5);
  expect((await waiting).failed).toMatch(/not done after/);
});
