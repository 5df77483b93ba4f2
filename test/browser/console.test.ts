// The emulator's console in a real browser: what it shows, as it happens, and what somebody does there.

import { expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { browser, namesOf, type Page, seriousFaults, useBrowser } from "./browser";

const MARKUP = "<img src=x onerror=alert(1)>";

let emulator: Emulator;
let page: Page;

useBrowser(async () => {
  emulator = await createEmulator({ seed: 3 });
  const { mutate } = emulator;
  const vpc = mutate.createVpc({ name: "main", cidr: "10.20.0.0/24" });
  mutate.createPeering(vpc.id, { peerVpcId: "vpc-0abc" });
  const orders = mutate.createService({ name: "orders", environment: "PROD", vpcId: vpc.id, replicaCount: 2 });
  mutate.createReplicaSet(orders.id, { name: "reports", nodes: 2 });
  mutate.createService({ name: MARKUP });
  mutate.logs(orders.id, [{ message: `FATAL: ${MARKUP}`, severity: "FATAL" }]);
  page = await browser.open(emulator.consoleUrl);
  return () => emulator.close();
});

/** A request to the control plane, as a program makes it. */
async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const { baseUrl, apiKey, projectId } = emulator;
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", "User-Agent": "program/1" };
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${baseUrl}/projects/${projectId}${path}`, { method, headers, ...json });
  return (await response.json()) as Record<string, unknown>;
}

const serviceNamed = (name: string) => emulator.state().services.find((one) => one.name === name);

test("the page may run its own script and ask its own server, and nothing else", async () => {
  const { headers } = await fetch(emulator.consoleUrl);
  const policy = headers.get("content-security-policy") ?? "";
  expect(
    policy
      .replaceAll(/'sha256-[^']+'/g, "DIGEST")
      .split("; ")
      .toSorted(),
  ).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src data:",
    "script-src DIGEST",
    "style-src DIGEST",
  ]);
  const kept = ["cache-control", "referrer-policy", "x-content-type-options", "cross-origin-resource-policy"];
  expect(kept.map((name) => headers.get(name))).toEqual(["no-store", "no-referrer", "nosniff", "same-origin"]);
});

test("the landscape names each object, its status, and what it stands for", async () => {
  await page.getByRole("article", { name: "Service orders" }).waitFor();
  expect(await namesOf(page, "article")).toEqual([
    "Service orders, READY, unmanaged",
    `Service ${MARKUP}, READY, unmanaged`,
  ]);
  expect(await namesOf(page, "group")).toEqual([
    "Show only",
    "Read replica set reports, active, unmanaged",
    "Peering vpc-0abc, active, unmanaged",
    "Legend",
  ]);
  expect(await namesOf(page, "region")).toEqual(["Landscape", "VPC main, unmanaged", "No VPC", "Findings"]);
});

test("a service that a program creates appears and becomes READY, without a reload", async () => {
  await page.evaluate(() => document.body.setAttribute("data-first", "load"));
  emulator.settings.timings.queued = 300;
  emulator.settings.timings.create = 300;
  await call("POST", "/services", { name: "billing", region_code: "us-east-1" });
  await page.getByRole("article", { name: "Service billing, QUEUED" }).waitFor();
  await page.getByRole("article", { name: "Service billing, READY" }).waitFor();
  expect(await page.getAttribute("body", "data-first")).toBe("load");
  await page.getByRole("link", { name: "billing" }).first().click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText("createService").waitFor();
  expect(await timeline.textContent()).toMatch(
    /createService by pat-0 · req-\d+ · program\/1QUEUED 300 msCONFIGURING 300 ms$/,
  );
});

test("a change by hand on the page is one of the admin API, and stands as drift until the API changes it back", async () => {
  await page.goto(`${emulator.consoleUrl.replace(/#.*/, "")}#/`);
  await page.getByRole("link", { name: "billing" }).first().click();
  const form = page.getByRole("region", { name: "By hand" });
  await form.getByLabel("Value").selectOption({ label: "2 CPU, 8 GB" });
  const { id = "" } = serviceNamed("billing") ?? {};
  await form.getByText(`emulator.mutate.service("${id}", { cpuMillis: 2000, memoryGbs: 8 });`).waitFor();
  await form.getByText(`"$DBCLOUD_EMULATOR_ADMIN_URL/services/${id}"`).waitFor();
  await form.getByRole("button", { name: "Do it" }).click();
  await form.getByText("done").waitFor();
  expect(serviceNamed("billing")).toMatchObject({ cpuMillis: 2000, memoryGbs: 8 });
  await page.getByRole("region", { name: "Findings" }).getByText("billing: cpuMillis").waitFor();
  await page.getByRole("link", { name: "Landscape" }).click();
  const card = page.getByRole("article", { name: "Service billing, READY, drifted" });
  expect(await card.textContent()).toContain("cpuMillis500 → 2000");
  await call("POST", `/services/${id}/resize`, { cpu_millis: "500", memory_gbs: "2" });
  await page.getByRole("article", { name: /^Service billing, READY$/ }).waitFor();
});

test("a fault that is added on the page strikes the next request, and can be removed there", async () => {
  await page.getByRole("link", { name: "Faults and clock" }).click();
  const faults = page.getByRole("region", { name: "Faults" });
  await faults.getByLabel("What goes wrong").selectOption({ label: "503, and nothing happens" });
  await faults.getByLabel("Operation").selectOption("createVpc");
  await faults.getByLabel("How often").selectOption({ label: "all requests" });
  await faults.getByText(`emulator.faults.add({ kind: "status", status: 503, operation: "createVpc"`).waitFor();
  await faults.getByRole("button", { name: "Add the fault" }).click();
  await faults.getByText("status of createVpc").first().waitFor();
  await call("POST", "/vpcs", { name: "never", cidr: "10.40.0.0/24", region_code: "us-east-1" });
  expect(emulator.state().vpcs.map(({ name }) => name)).toEqual(["main"]);
  await faults.getByText("applied once").waitFor();
  await faults.getByRole("button", { name: "Remove status of createVpc" }).click();
  await faults.getByText("There is none").waitFor();
  expect(emulator.faults.list()).toEqual([]);
});

test("the clock can be stopped and put ahead", async () => {
  const clock = page.getByRole("region", { name: "Clock" });
  await clock.getByRole("button", { name: "Stop it" }).click();
  await clock.getByText("it stands still").waitFor();
  const before = emulator.clock.now();
  await clock.getByLabel("ahead by").selectOption({ label: "1 hour" });
  await clock.getByRole("button", { name: "Put it ahead" }).click();
  await expect.poll(() => emulator.clock.now() - before).toBe(3_600_000);
  await clock.getByRole("button", { name: "Let it go on" }).click();
  await clock.getByText("it goes on").waitFor();
});

test("requests stand by run, with the refused ones", async () => {
  await page.getByRole("link", { name: "Requests" }).click();
  const requests = page.getByRole("region", { name: "Requests" });
  await requests.getByText("503", { exact: true }).waitFor();
  const text = await requests.textContent();
  expect(text).toMatch(/program\/1 · 3 requests, 0 of them reads/);
  expect(text).toContain("fault: status");
});

test("names and log lines with markup stay text", async () => {
  await page.goto(
    `${emulator.consoleUrl.replace(/#.*/, "")}#/o/${encodeURIComponent(`Service/${serviceNamed("orders")?.id}`)}`,
  );
  await page.getByRole("region", { name: "Logs" }).getByText(`FATAL: ${MARKUP}`).waitFor();
  await page.getByRole("link", { name: "Landscape" }).click();
  await page.getByRole("link", { name: MARKUP }).first().waitFor();
  expect(await page.locator("img").count()).toBe(0);
  expect(browser.errors()).toEqual([]);
});

test("the key is in this tab alone: not in the address, and not in what outlives the tab", async () => {
  expect(page.url()).not.toContain("key");
  const kept = await page.evaluate(() => [localStorage.length, document.cookie, Object.keys(sessionStorage)]);
  expect(kept).toEqual([0, "", ["key"]]);
  const other = await browser.open(emulator.consoleUrl.replace(/#.*/, ""));
  await other.getByText("Open this page by the link").waitFor();
  const wrong = await browser.open(emulator.consoleUrl.replace(/=.*/, "=wrong"));
  await wrong.getByText("The key of this link is wrong").waitFor();
  expect(browser.errors().filter((text) => !text.includes("401"))).toEqual([]);
  await other.close();
  await wrong.close();
});

test.each([false, true])("axe finds nothing serious, dark: %s", { timeout: 120_000 }, async (dark) => {
  const own = await browser.open(emulator.consoleUrl, { dark });
  const { id = "" } = serviceNamed("orders") ?? {};
  for (const part of ["", "requests", "faults", `o/${encodeURIComponent(`Service/${id}`)}`]) {
    await own.evaluate((route) => void (location.hash = `#/${route}`), part);
    await own.getByRole("main").waitFor();
    expect({ part, found: await seriousFaults(own) }).toEqual({ part, found: [] });
  }
  await own.close();
});
