// A server that offers the contract and nothing more: what it lacks is said, with the safe remedy, nothing is pretended
// and nothing is changed.

import { expect, test } from "vitest";
import type { Fault } from "../../emulator/index";
import { operationList } from "../../provider/api/operations/index";
import { resources } from "../../provider/kinds/index";
import { textLike, textWith } from "../support/matchers";
import { ALL, done, errorOf, LARGE, makeBystander, open, setOf, SMALL, world } from "./scene";

const ROUTES: Record<string, Fault | undefined> = {
  "404 and 405, as they come": undefined,
  "501": { kind: "status", status: 501 },
  "403, not on this plan": { kind: "status", status: 403 },
  "404 in HTML": { kind: "html", status: 404 },
  "405 without a word": { kind: "status", status: 405, body: "" },
};

/** `missing`: what the routes answer that the server lacks. */
async function openDocumented(missing?: Fault): Promise<void> {
  await open({ profile: "documented" });
  const match = ({ operation }: { operation: string | undefined }): boolean => operation === undefined;
  if (missing) world.emulator.faults.add({ ...missing, match, times: Infinity });
}

test.each(Object.entries(ROUTES))(
  "rename, start and delete are refused before anything is changed where missing routes answer %s",
  async (_name, missing) => {
    await openDocumented(missing);
    const kept = await world.service.create({ name: "orders" });
    const named = await errorOf(world.service.update(kept, { name: "bills", poolerEnabled: true }));
    expect(named.fullMessage).toMatch(/failed: rename[^]*not tried: enablePooler[^]*Keep the old name/);
    expect(world.emulator.state().services).toMatchObject([{ id: kept.id, name: "orders", poolerEnabled: false }]);
    expect(await errorOf(world.service.remove(kept))).toMatchObject({
      message: textWith("deleteService of service orders"),
      hint: textLike(/`retainOnDelete`.*by its id/s),
    });
    // With the old name the rest goes through.
    const pooled = await done(world.service.update(kept, { name: "orders", poolerEnabled: true, ...SMALL }));
    expect(pooled.outputs).toMatchObject({ name: "orders", poolerEnabled: true });
    // A change of a stopped service needs a start, too.
    const paused = await done(world.service.update(pooled, { name: "orders", ...SMALL, paused: true }));
    const changed = await errorOf(world.service.update(paused, { name: "orders", ...LARGE, paused: true }));
    expect(changed.fullMessage).toContain("not tried: resize, stop");
    const args = { name: "orders", paused: false };
    const started = await errorOf(world.service.update(paused, args));
    expect(started.fullMessage).toMatch(/failed: start[^]*Start the service in the console/);
    expect(world.emulator.state().services).toMatchObject([{ ...SMALL, status: "PAUSED" }]);
    world.emulator.mutate.service(kept.id, { paused: false });
    expect((await world.service.update(paused, args)).outputs).toMatchObject({ paused: false, status: "READY" });
  },
);

test("everything else is in the contract: nothing undocumented is called for it but the list of sets that a service does not show", async () => {
  await openDocumented();
  const parent = await world.service.create({ name: "orders" });
  const kept = await world.readReplicaSet.create(setOf(parent));
  const next = await world.readReplicaSet.update(kept, setOf(parent, LARGE));
  expect((await world.readReplicaSet.refresh(next))?.outputs).toMatchObject({ cpuMillis: 1000, status: "active" });
  await world.readReplicaSet.remove(next);
  expect(world.emulator.state().replicaSets).toEqual([]);
  await done(world.service.update(parent, { ...ALL, ...LARGE, password: "correct horse", paused: true }));
  const undocumented = world.emulator.requests().filter(({ operation }) => operation === undefined);
  const asked = new Set(undocumented.map(({ method, path }) => `${method} ${path}`));
  expect(asked).toEqual(new Set([`GET /projects/proj000001/services/${parent.id}/replicaSets`]));
});

test("a delete that the server lacks is told from a service that is gone", async () => {
  await openDocumented({ kind: "status", status: 404 });
  const kept = await world.service.create({ name: "orders" });
  makeBystander();
  world.restart();
  world.emulator.mutate.deleteService(kept.id);
  await world.service.remove(kept);
  expect(world.emulator.state().services).toMatchObject([{ name: "bystander" }]);
});

test("each call of a plan that the contract does not document has a remedy for a server that lacks it", () => {
  const planned = Object.values(resources).flatMap(({ kind, rows, undocumented = {} }) =>
    Object.values(rows).flatMap(({ calls }) => calls.map((call) => ({ call, kind, isRemedied: call in undocumented }))),
  );
  const isDocumented = (call: string): boolean => operationList.find(({ name }) => name === call)?.documented !== false;
  expect(planned.filter(({ call, isRemedied }) => !isDocumented(call) && !isRemedied)).toEqual([]);
});
