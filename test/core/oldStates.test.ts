// States written by every published version keep working: they are read, compared, changed and deleted by the handlers
// of today. `test/states` holds one file per version, never edited once that version is out, and `next.json`, the layout
// of the version to come. The same with whole stacks on the engine: test/engine/oldStates.test.ts.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import { declared, files, folder, recall } from "../support/oldStates";
import * as plugin from "../support/plugin";
import type { Kept } from "../support/world";
import { done, earlier, errorOf, KINDS, refreshed, useWorld, world } from "./scene";

const NEXT = "next.json";
const { version } = JSON.parse(readFileSync(path.join(folder, "..", "..", "package.json"), "utf8")) as {
  version: string;
};

type Stack = Record<keyof typeof declared, Kept>;

useWorld();

const argsOf = (kind: keyof Stack, made: Partial<Stack>): Values => ({
  ...declared[kind],
  ...(kind === "peering" || kind === "service" ? { vpcId: made.vpc?.id } : {}),
  ...(kind === "readReplicaSet" ? { serviceId: made.service?.id } : {}),
});

/** What the state has of inputs that there are no more, and that a program of today leaves out. */
const goneFrom = ({ inputs }: Kept): string[] => Object.keys(inputs).filter((key) => key === "onDelete");

async function build(): Promise<Stack> {
  const made: Partial<Stack> = {};
  for (const kind of KINDS) made[kind] = await world[kind].create(argsOf(kind, made));
  return made as Stack;
}

test.each(files)("a state of %s is read, compared, changed and deleted", async (file) => {
  const now = await build();
  const old = recalled(file, now);
  world.nextRun();
  const seen = { ...old };
  for (const kind of KINDS) {
    seen[kind] = await refreshed(old[kind], kind);
    expect(world[kind].preview(seen[kind], argsOf(kind, now)).properties).toEqual(goneFrom(old[kind]));
  }
  expect(world.calls()).toEqual([]);
  const prod = { ...argsOf("service", now), environment: "PROD" };
  const changed = await world.service.update(seen.service, prod);
  expect(world.calls()).toEqual(["setEnvironment"]);
  const open = await world.service.update(changed, { ...prod, deletionProtection: false });
  const set = await world.readReplicaSet.update(seen.readReplicaSet, argsOf("readReplicaSet", now));
  await world.readReplicaSet.remove(set);
  await world.service.remove(open);
  await world.peering.remove(seen.peering);
  await world.vpc.remove(seen.vpc);
  expect(world.emulator.state()).toMatchObject({ services: [], vpcs: [], peerings: [], replicaSets: [] });
});

test.each(files)("a state of %s moves to the plugin and back: nothing differs, and nothing is called", async (file) => {
  const now = await build();
  const old = recalled(file, now);
  world.calls();
  for (const kind of KINDS) {
    world.nextRun();
    const { id, inputs, outputs } = old[kind];
    const native = { kind, id, inputs, outputs, urn: `urn:pulumi:dev::shop::dbcloud:index:${kind}::${kind}` };
    const { changes } = await plugin.compared(world, native, argsOf(kind, now));
    expect(changes.map((change) => change.path)).toEqual(goneFrom(old[kind]));
    const { props = {} } = await plugin.refreshed(world, native);
    const moved = await earlier(plugin.change(world, { ...native, outputs: props }, argsOf(kind, now)));
    const { onDelete: _, ...others } = inputs;
    const back = { ...old[kind], inputs: others, outputs: moved.outputs };
    expect(world[kind].preview(back, argsOf(kind, now)).properties).toEqual([]);
  }
  expect(world.calls()).toEqual([]);
});

/** A service as an earlier version saved it, with inputs that this version does not have. */
async function saved(more: Values): Promise<{ args: Values; kept: Kept; native: plugin.Kept }> {
  const args = { name: "orders", regionCode: "us-east-1", allowReplace: true };
  const { id, inputs, outputs } = await world.service.create(args);
  const kept = { id, inputs: { ...inputs, ...more }, outputs: { ...outputs, ...more } };
  world.nextRun();
  world.calls();
  return {
    args,
    kept,
    native: { ...kept, kind: "service", urn: "urn:pulumi:dev::shop::dbcloud:index:Service::orders" },
  };
}

test("a service that an earlier version was to stop in place of a delete is never deleted, whatever has changed it since", async () => {
  const { args, kept, native } = await saved({ onDelete: "stop" });
  const refused = /is protected against deletion by `onDelete: "stop"`.*; nothing was deleted/;
  const front = world.front("service");
  const refusal = errorOf(front.delete({ urn: native.urn }, native.id, native.outputs, native.inputs));
  const { message, hint } = await errorOf(world.service.remove(kept));
  expect(message).toMatch(refused);
  expect(hint).toMatch(/`paused: true` and Pulumi's `retainOnDelete`.*then remove it/);
  expect((await refusal).message).toMatch(refused);
  const moved = { ...args, regionCode: "eu-west-1" };
  expect(() => world.service.preview(kept, moved)).toThrow(/`onDelete: "stop"`.*so it is not replaced/);
  expect(world.calls()).toEqual([]);
  world.nextRun();
  const seen = await refreshed(await done(world.service.update(kept, { ...args, paused: true })));
  world.nextRun();
  const there = await plugin.change(world, { ...native, outputs: seen.outputs }, { ...args, paused: true });
  for (const one of [seen, { ...kept, outputs: there.outputs }])
    expect((await errorOf(world.service.remove(one))).message).toMatch(refused);
  expect(world.emulator.state().services).toMatchObject([{ id: kept.id, status: "PAUSED" }]);
});

test("inputs that only an earlier version knew fail no refresh, update or destroy", async () => {
  const { args, kept, native } = await saved({ onDelete: "delete" });
  const { props = {} } = await plugin.refreshed(world, native);
  expect((await plugin.compared(world, { ...native, outputs: props }, args)).changes).toEqual([
    { path: "onDelete", kind: "delete", replaces: false },
  ]);
  world.nextRun();
  const seen = await refreshed(kept);
  expect(world.service.preview(seen, args)).toMatchObject({ properties: [], operations: [] });
  const changed = await earlier(done(world.service.update(seen, { ...args, poolerEnabled: true })));
  expect(world.service.preview(changed, { ...args, poolerEnabled: true }).properties).toEqual([]);
  world.nextRun();
  const old = { ...changed, outputs: { ...changed.outputs, colour: { of: ["the", "rainbow"] } } };
  const removing = () => world.front("service").delete({ urn: native.urn }, old.id, old.outputs, native.inputs);
  await world.service.remove(old);
  await removing();
  expect(world.emulator.state().services).toEqual([]);
});

test("the mark that an earlier version left on what it took after a lost answer holds up nothing", async () => {
  const { args, kept } = await saved({});
  const marked = { ...kept, outputs: { ...kept.outputs, __unconfirmed: kept.id } };
  expect(world.service.preview(marked, args)).toMatchObject({ properties: [], operations: [] });
  world.nextRun();
  const next = await earlier(done(world.service.replace(marked, { ...args, regionCode: "eu-west-1" })));
  await world.service.remove({ ...next, outputs: { ...next.outputs, __unconfirmed: next.id } });
  expect(world.emulator.state().services).toEqual([]);
});

test("the version in package.json has its state on file", () => {
  expect(files).toContain(`${version}.json`);
});

// A layout that differs is written with WRITE_STATE=1. If the version before could not go on with it, STATE_VERSION
// is raised as well.
test("a state of today has the layout of the version to come", async () => {
  const now = await build();
  if (process.env["WRITE_STATE"] === "1") {
    writeFileSync(path.join(folder, NEXT), `${JSON.stringify(now, undefined, 2)}\n`);
  }
  expect(layoutOf(now)).toEqual(layoutOf(recalled(NEXT, now)));
});

/** The names of all values of each kind with their types, and the version of the layout. */
function layoutOf(stack: Stack): unknown {
  const keep = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, key === "__version" ? value : typeof value]));
  return Object.fromEntries(KINDS.map((kind) => [kind, [keep(stack[kind].inputs), keep(stack[kind].outputs)]]));
}

function recalled(file: string, now: Stack): Stack {
  const { vpc, peering, service, readReplicaSet } = now;
  const ids = { vpc: vpc.id, peering: peering.id, service: service.id, readReplicaSet: readReplicaSet.id };
  return recall(file, ids, world.emulator.projectId);
}
