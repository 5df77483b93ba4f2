// A real project on the real engine, seen in the console while it comes up, changed by hand there, and written as a report.

import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { Report } from "../../cli/drift/findings";
import { documentSchema } from "../../page/schema";
import { Peering, ReadReplicaSet, Service, Vpc } from "../../provider/index";
import type { InlineStack } from "../support/cli/inlineStack";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";
import { browser, namesOf, type Page, picture, savePicture, seriousFaults, useBrowser } from "./browser";
import { tracePicture } from "./tracePicture";

const sizes = { cpuMillis: 1_000, memoryGbs: 4 };

/** Nine objects; three more are made by hand. */
const shop = (isForked: boolean) => (): void => {
  const main = new Vpc("main", { name: "main", cidr: "10.20.0.0/24", regionCode: "us-east-1" });
  const analytics = new Vpc("analytics", { name: "analytics", cidr: "10.30.0.0/24", regionCode: "eu-west-1" });
  const peer = { peerVpcId: "vpc-0abc", peerAccountId: "123456789012", peerRegionCode: "us-east-1" };
  void new Peering("partner", { ...peer, vpcId: main.vpcId });
  const inMain = { ...sizes, vpcId: main.vpcId, regionCode: "us-east-1" } as const;
  const haReplicas = { replicaCount: 2, syncReplicaCount: 1 };
  const prod = { environment: "PROD", deletionProtection: true } as const;
  const orders = new Service("orders", { name: "orders", ...inMain, ...prod, haReplicas, poolerEnabled: true });
  const reads = { nodes: 2, cpuMillis: 500, memoryGbs: 2, poolerEnabled: false };
  void new ReadReplicaSet("reports", { name: "reports", ...reads, serviceId: orders.serviceId });
  void new Service("billing", {
    name: "billing",
    ...inMain,
    ...prod,
    cpuMillis: 2_000,
    memoryGbs: 8,
    haReplicas: { replicaCount: 1 },
  });
  const big = { cpuMillis: 4_000, memoryGbs: 16 };
  void new Service("events", {
    name: "events",
    ...big,
    vpcId: analytics.vpcId,
    regionCode: "eu-west-1",
    environment: "DEV",
  });
  void new Service("scratch", { name: "scratch", cpuMillis: 500, memoryGbs: 2, environment: "DEV" });
  if (!isForked) return;
  const forkFrom = { serviceId: orders.serviceId, strategy: "NOW" } as const;
  void new Service("rehearsal", { name: "rehearsal", ...sizes, forkFrom, environment: "DEV", paused: true });
};

let world: EngineWorld;
let stack: InlineStack;
let page: Page;

useBrowser(async () => {
  world = await openEngineWorld({ seed: 7, timings: { queued: 200, create: 400, resize: 400 } });
  world.environment["DBCLOUD_POLL_INTERVAL"] = "50ms";
  stack = await world.open(shop(true), { project: "shop", name: "prod" });
  page = await browser.open(world.emulator.consoleUrl);
  return () => world.close();
});

const idOf = (name: string): string => world.emulator.state().services.find((one) => one.name === name)?.id ?? "";

test("a stack comes up and appears, live and without a reload; the landscape of its objects is right", async () => {
  await page.evaluate(() => document.body.setAttribute("data-first", "load"));
  const trace = path.join(world.folder, "trace.json");
  stack.stack.workspace.envVars["DBCLOUD_TRACE"] = trace;
  const up = stack.up();
  await page
    .getByRole("article", { name: /, (QUEUED|CONFIGURING)$/ })
    .first()
    .waitFor();
  await up;
  await page.getByRole("article", { name: "Service rehearsal, PAUSED" }).waitFor();
  expect(await page.getAttribute("body", "data-first")).toBe("load");
  expect(await namesOf(page, "article")).toEqual([
    "Service events, READY",
    "Service billing, READY",
    "Service orders, READY",
    "Service rehearsal, PAUSED",
    "Service scratch, READY",
  ]);
  expect(await namesOf(page, "group")).toEqual([
    "Show only",
    "Read replica set reports, active",
    "Peering vpc-0abc, active",
    "Legend",
  ]);
  expect(await namesOf(page, "region")).toEqual([
    "Landscape",
    "VPC analytics",
    "VPC main",
    "No VPC",
    "Findings",
    "Last run",
  ]);
  const orders = page.getByRole("article", { name: /^Service orders/ });
  expect(await orders.textContent()).toMatch(/PROD1 CPU · 4 GBpooler.*primary, 2 standbys \(1 synchronous\)/);
  expect(await page.getByRole("article", { name: /^Service rehearsal/ }).textContent()).toMatch(/fork of orders/);
  await picture(page, "landscape");
  // Without the rest, whose process would write into it too.
  delete stack.stack.workspace.envVars["DBCLOUD_TRACE"];
  const drawn = tracePicture(readFileSync(trace, "utf8"));
  for (const name of ["main", "orders", "reports", "CONFIGURING"]) expect(drawn).toContain(`>${name}</text>`);
  savePicture("trace.svg", drawn);
});

test("the fork, the requests and the timeline say who asked for what", async () => {
  await page
    .getByRole("article", { name: /^Service orders/ })
    .getByRole("link")
    .first()
    .click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText("createService").waitFor();
  for (const call of ["createService", "setHA", "attachToVPC", "enablePooler"])
    expect(await timeline.textContent()).toMatch(new RegExp(`${call} by pat-0 · req-\\d+ · pulumi-dbcloud/`));
  await page.getByRole("link", { name: "Requests" }).click();
  await page
    .getByText(/pulumi-dbcloud\/.* requests, \d+ of them reads/)
    .first()
    .waitFor();
  await page.getByRole("link", { name: "Landscape" }).click();
});

test("a change by hand on the page shows in a preview with a refresh, and the next up takes it back", async () => {
  await page
    .getByRole("link", { name: /^orders/ })
    .first()
    .click();
  const form = page.getByRole("region", { name: "By hand" });
  await form.getByLabel("Value").selectOption({ label: "0.5 CPU, 2 GB" });
  await form.getByRole("button", { name: "Do it" }).click();
  await form.getByText("done").waitFor();
  const preview = await stack.preview({ refresh: true });
  expect(preview.diffs["orders"]?.toSorted()).toEqual(["cpuMillis", "memoryGbs"]);
  await page.getByRole("link", { name: "Landscape" }).click();
  await page.getByRole("article", { name: "Service orders, READY, drifted" }).waitFor();
  // The next up loses an answer, by a fault that is set on the page.
  await page.getByRole("link", { name: "Faults and clock" }).click();
  const faults = page.getByRole("region", { name: "Faults" });
  await faults.getByLabel("Operation").selectOption("resize");
  await faults.getByRole("button", { name: "Add the fault" }).click();
  await faults.getByText("lostAfter of resize").first().waitFor();
  const up = await stack.up({ refresh: true });
  expect(up.calls).toEqual(["resize"]);
  await faults.getByText("applied once").waitFor();
  expect(world.emulator.requests().filter(({ fault }) => fault === "lostAfter").length).toBe(1);
  await page.getByRole("link", { name: "Landscape" }).click();
  await page.getByRole("article", { name: /^Service orders, READY$/ }).waitFor();
  expect(browser.errors()).toEqual([]);
});

test("the report opens from disk without a request, and shows the findings of the JSON report on the same objects", async () => {
  const { mutate } = world.emulator;
  mutate.createVpc({ name: "old-net", cidr: "10.99.0.0/24" });
  mutate.createService({ name: "legacy" });
  mutate.service(mutate.createService({ name: "<b>test-old</b>" }).id, { paused: true });
  mutate.service(idOf("orders"), { cpuMillis: 500, memoryGbs: 2, poolerEnabled: false });
  mutate.service(idOf("scratch"), { name: "scratch-old" });
  const file = path.join(world.folder, "drift.html");
  const { out, code } = await world.command(["drift", "--all-stacks", "--json", "--html", file], world.folder);
  expect(code).toBe(2);
  const report = JSON.parse(out) as Report;
  const [, embedded = ""] =
    /<script type="application\/json" id="document">(.*?)<\/script>/s.exec(readFileSync(file, "utf8")) ?? [];
  const document = documentSchema.parse(JSON.parse(embedded));
  expect(document.findings.map(({ category }) => category)).toEqual(report.findings.map(({ category }) => category));
  expect(document.objects.length).toBe(12);

  const asked: string[] = [];
  const listen = (url: string): void => {
    asked.push(url);
  };
  const url = pathToFileURL(file).href;
  const own = await browser.open("about:blank");
  own.on("request", (request) => listen(request.url()));
  await own.goto(url);
  expect(await namesOf(own, "article")).toEqual([
    "Service events, READY",
    "Service billing, READY",
    "Service orders, READY, drifted",
    "Service <b>test-old</b>, PAUSED, unmanaged",
    "Service legacy, READY, unmanaged",
    "Service rehearsal, PAUSED",
    "Service scratch-old, READY, drifted",
  ]);
  const nets = ["VPC analytics", "VPC main", "VPC old-net, unmanaged", "No VPC"];
  expect(await namesOf(own, "region")).toEqual(["Landscape", ...nets, "Findings"]);
  const parts = ["Read replica set reports, active", "Peering vpc-0abc, active"];
  expect(await namesOf(own, "group")).toEqual(["Show only", ...parts, "Legend"]);
  const findings = own.getByRole("region", { name: "Findings" });
  const text = (await findings.textContent()) ?? "";
  const changed = report.findings.filter((finding) => finding.category === "changed");
  expect(changed.length).toBe(4);
  for (const { name, property } of changed) expect(text).toContain(`${name}: ${property}`);
  expect(text).toContain("resize restarts the service");
  expect(text).toContain("to keep it: cpuMillis: 500");
  expect(text).toContain("npx pulumi-dbcloud import vpc:");
  expect(await seriousFaults(own)).toEqual([]);
  await own.getByRole("button", { name: /drifted/ }).click();
  await expect.poll(() => own.getByRole("article").count()).toBe(2);
  await own.getByRole("button", { name: /objects/ }).click();
  await picture(own, "drift");
  expect(asked.filter((one) => !one.startsWith("data:"))).toEqual([url]);
  expect(browser.errors()).toEqual([]);
  await own.close();
});
