// The document of a report: each finding of each category, and the objects that it is about, with what manages them.

import { expect, test } from "vitest";
import { accountSources, openAccount } from "../../../cli/account";
import { makeReport } from "../../../cli/drift/command";
import { CATEGORIES } from "../../../cli/drift/findings";
import { pageOf } from "../../../cli/drift/page";
import { toldOf } from "../../../cli/drift/told";
import { documentSchema } from "../../../page/schema";
import { type Held, scene, sizes, useScene } from "./scene";

useScene();

/** The report on one stack, and the document that the page draws of it. */
async function documentOf(held: Readonly<Record<string, Held>>, more: object) {
  const { baseUrl, apiKey } = scene.emulator;
  const environment = { DBCLOUD_BASE_URL: baseUrl, DBCLOUD_API_KEY: apiKey };
  const io = {
    out: () => undefined,
    error: () => undefined,
    cwd: scene.folder,
    environment,
    clientParts: scene.clientParts(),
  };
  const session = openAccount(accountSources({}, io), io);
  try {
    const file = scene.stack("dev", held, { ...more });
    const { report, live, entries } = await makeReport(session, { state: [file] }, [], io);
    return { report, page: pageOf(report, live, entries) };
  } finally {
    await session.client.close();
  }
}

test("each finding of the report is in the document, in its order, on the live objects and on those that are gone", async () => {
  const { mutate } = scene.emulator;
  const main = await scene.vpc();
  const orders = await scene.service({ ...sizes, haReplicas: { replicaCount: 1 }, vpcId: main.id });
  const readers = await scene.readers(orders);
  const lost = await scene.service({ name: "lost" });
  const moved = await scene.service({ name: "moved" });
  const tagged = await scene.service({ name: "tagged", environment: "PROD" });
  const stopped = await scene.service({ name: "stopped" });
  const ignoring: Held = {
    ...(await scene.service({ name: "ignoring", ...sizes })),
    entry: { ignoreChanges: ["memoryGbs"] },
  };
  const moving = await scene.service({ name: "moving" });
  const peering = mutate.createPeering(main.id, { peerVpcId: "vpc-0theirs" });
  const fork = mutate.createService({ name: "fork", forkedFrom: { serviceId: orders.id, projectId: "proj000001" } });
  mutate.service(orders.id, { cpuMillis: 1_000, replicaCount: 2 });
  mutate.deleteService(lost.id);
  mutate.service(moved.id, { vpcId: main.id });
  mutate.service(tagged.id, { environment: "DEV" });
  mutate.service(stopped.id, { status: "UNSTABLE" });
  mutate.service(ignoring.id, { memoryGbs: 4 });
  mutate.service(moving.id, { status: "UPGRADING" });
  const held = { main, orders, readers, lost, moved, tagged, stopped, ignoring, moving, twice: main };
  const type = "pulumi-nodejs:dynamic/dbcloud:Service";
  const resource = { urn: `urn:pulumi:dev::shop::${type}::new`, type, inputs: {} };
  const { report, page } = await documentOf(held, { pending_operations: [{ resource, type: "creating" }] });

  expect(documentSchema.parse(page)).toEqual(page);
  expect(new Set(report.findings.map(({ category }) => category))).toEqual(new Set(CATEGORIES));
  expect(page.findings.map(({ category }) => category)).toEqual(report.findings.map(({ category }) => category));
  const found = (title: string) => page.findings.find((one) => one.title === title);
  expect(found("orders: cpuMillis")).toMatchObject({
    about: [`Service/${orders.id}`],
    stack: "shop/dev",
    next: "repairs it: resize; resize restarts the service",
    keep: "to keep it: `cpuMillis: 1000`",
  });
  const replicas = { program: '{"replicaCount":1}', live: '{"replicaCount":2}' };
  expect(found("orders: haReplicas")).toMatchObject(replicas);
  expect(found("lost is gone")).toMatchObject({ next: "creates it again; a new and EMPTY service is made" });
  expect(page.findings.flatMap(({ command }) => command ?? [])).toEqual([
    `npx pulumi-dbcloud import peering:${main.id}/${peering.id}`,
    `npx pulumi-dbcloud import service:${fork.id}`,
  ]);

  const shown = page.objects.map(({ name, condition, managedBy = [] }) => [
    name,
    condition,
    managedBy.map((one) => one.resource),
  ]);
  expect(shown).toEqual(
    expect.arrayContaining([
      ["main", "settled", ["main", "twice"]],
      ["orders", "settled", ["orders"]],
      ["stopped", "failed", ["stopped"]],
      ["moving", "moving", ["moving"]],
      ["fork", "settled", []],
      ["lost", "gone", ["lost"]],
    ]),
  );
  expect(page.relations).toEqual(
    expect.arrayContaining([
      { is: "of", from: `Peering/${peering.id}`, to: `Vpc/${main.id}` },
      { is: "in", from: `Service/${orders.id}`, to: `Vpc/${main.id}` },
      { is: "forkOf", from: `Service/${fork.id}`, to: `Service/${orders.id}` },
      { is: "of", from: `ReadReplicaSet/${readers.id}`, to: `Service/${orders.id}` },
    ]),
  );
});

test("the command to copy quotes an id of the server", () => {
  const { command } = toldOf({ category: "unmanaged", type: "Vpc", id: "v'1", projectId: "p" });
  expect(command).toBe(String.raw`npx pulumi-dbcloud import 'vpc:v'\''1'`);
});
