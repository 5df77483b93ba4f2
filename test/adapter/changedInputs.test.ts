// Inputs that something changes after `check`, or hides from it, and creates that are called again: with the handlers as
// Pulumi calls them, which are told only what is in the values.

import type * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { createAdapter } from "../../provider/adapter/adapter";
import { SECRET_SIGNATURE } from "../../provider/adapter/shapes";
import type { Kind } from "../../provider/domain/kinds";
import { isPlainObject, type Values } from "../../provider/domain/values/value";

/** What the state has of a resource. */
interface Kept {
  kind: Kind;
  id: string;
  inputs: Values;
  outputs: Values;
}

type Handlers = Required<pulumi.dynamic.ResourceProvider>;

const SIZE = { cpuMillis: 500, memoryGbs: 2 };

let emulator: Emulator;
let of: (kind: Kind) => Handlers;

/** Another process, as each run has one. */
function nextRun(): void {
  const { apiKey, baseUrl } = emulator;
  const environment = {
    DBCLOUD_API_KEY: apiKey,
    DBCLOUD_BASE_URL: baseUrl,
    DBCLOUD_POLL_INTERVAL: "5ms",
    DBCLOUD_MAX_REQUESTS_PER_SECOND: "10000",
    DBCLOUD_TEST_TIME_SCALE: "0.001",
  };
  const adapter = createAdapter({ environment, argv: [], console });
  const all = new Map<Kind, Handlers>();
  // Pulumi: the process evaluates the line of a kind once.
  of = (kind) => {
    const handlers = all.get(kind) ?? (adapter.provider(kind) as Handlers);
    all.set(kind, handlers);
    return handlers;
  };
}

beforeEach(async () => {
  emulator = await createEmulator({ seed: 1 });
  onTestFinished(() => emulator.close());
  nextRun();
});

const urnOf = (kind: Kind, name: string): Values => ({
  __urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:${kind}::${name}`,
});

/** Pulumi: handlers get secrets as plain values. */
function plain(values: Values): Values {
  const [signature = ""] = Object.keys(SECRET_SIGNATURE);
  const entries = Object.entries(values).map(([key, value]) => [
    key,
    isPlainObject(value) && signature in value ? value["value"] : value,
  ]);
  return Object.fromEntries(entries) as Values;
}

async function checked(kind: Kind, olds: Values, news: Values): Promise<Values> {
  const answer = await of(kind).check(olds, news);
  expect(answer.failures ?? []).toEqual([]);
  return plain(answer.inputs as Values);
}

async function created(kind: Kind, inputs: Values): Promise<Kept> {
  const answer = await of(kind).create(inputs);
  return { kind, id: answer.id, inputs, outputs: plain(answer.outs as Values) };
}

const made = async (kind: Kind, name: string, args: Values): Promise<Kept> =>
  created(kind, await checked(kind, {}, { ...args, ...urnOf(kind, name) }));

const updated = async (kept: Kept, inputs: Values): Promise<Kept> => {
  const answer = await of(kept.kind).update(kept.id, kept.outputs, inputs);
  return { ...kept, inputs, outputs: plain(answer.outs as Values) };
};

const removed = ({ kind, id, outputs }: Kept): Promise<void> => of(kind).delete(id, outputs);

/** `check` and `diff` of a resource with `ignoreChanges: ["*"]`: both get the inputs of the state. */
async function ignoring({ kind, id, inputs, outputs }: Kept): Promise<pulumi.dynamic.DiffResult> {
  return of(kind).diff(id, outputs, await checked(kind, inputs, inputs));
}

describe("with `ignoreChanges: [*]`", () => {
  const setOf = (service: Kept): Promise<Kept> =>
    made("readReplicaSet", "readers", { serviceId: service.id, name: "readers", nodes: 1, ...SIZE });

  test("a protected service lets its replica set go alone", async () => {
    const service = await made("service", "db", { name: "orders", deletionProtection: true });
    const set = await setOf(service);
    nextRun();
    await ignoring(service);
    await removed(set);
    expect(emulator.state()).toMatchObject({ services: [{ id: service.id }], replicaSets: [] });
  });

  test("a replica set learns that its service is no longer protected, and a destroy takes both", async () => {
    const args = { name: "orders", deletionProtection: true, ...urnOf("service", "db") };
    const service = await made("service", "db", args);
    const set = await setOf(service);
    nextRun();
    const inputs = await checked("service", service.inputs, { ...args, deletionProtection: false });
    await of("service").diff(service.id, service.outputs, inputs);
    const open = await updated(service, inputs);
    expect(await ignoring(set)).toMatchObject({ changes: true });
    const told = await updated(set, set.inputs);
    nextRun();
    await removed(told);
    await removed(open);
    expect(emulator.state()).toMatchObject({ services: [], replicaSets: [] });
  });
});

describe("a policy that changes inputs after `check`", () => {
  test("of a new service, while another one is to be created as well, leads to one of each", async () => {
    const [one, two] = [
      await checked("service", {}, { name: "one", ...urnOf("service", "one") }),
      await checked("service", {}, { name: "two", ...urnOf("service", "two") }),
    ];
    const all = await Promise.all([one, two].map((inputs) => created("service", { ...inputs, environment: "DEV" })));
    expect(
      emulator
        .state()
        .services.map(({ name }) => name)
        .toSorted(),
    ).toEqual(["one", "two"]);
    // The state names the resource of each.
    expect(all.map(({ outputs }) => outputs["__urn"])).toEqual(["dev::shop::service::one", "dev::shop::service::two"]);
  });

  test("to another region replaces the service, as its `diff` says", async () => {
    const args = { name: "orders", regionCode: "us-east-1", allowReplace: true, ...urnOf("service", "db") };
    const service = await made("service", "db", args);
    nextRun();
    const remedied = { regionCode: "eu-west-1" };
    const inputs = { ...(await checked("service", service.inputs, args)), ...remedied };
    expect(await of("service").diff(service.id, service.outputs, inputs)).toMatchObject({ replaces: ["regionCode"] });
    const next = await created("service", { ...(await checked("service", {}, args)), ...remedied });
    await removed(service);
    expect(emulator.state().services).toMatchObject([{ id: next.id, regionCode: "eu-west-1" }]);
  });
});

test("a create that an error hook calls again, after a lost answer, makes no second service", async () => {
  const args = { name: "orders", allowDuplicateName: true, ...urnOf("service", "db") };
  const inputs = await checked("service", {}, args);
  emulator.faults.add({ kind: "lostAfter", operation: "createService" });
  // Nobody sees what the create made while it is looked for.
  const hidden = emulator.faults.add({ kind: "brownout" });
  await expect(created("service", inputs)).rejects.toThrow(/the answer was lost/);
  hidden.remove();
  await expect(created("service", inputs)).rejects.toThrow(/an earlier create of it in this run was lost/);
  expect(emulator.state().services).toHaveLength(1);
});
