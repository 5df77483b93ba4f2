// The page with documents alone, from a file: on a phone, on paper, by keyboard, and with what a server may say.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { asPage } from "../../cli/drift/page";
import { documentSchema, type PageDocument, type PageObject } from "../../page/schema";
import { browser, namesOf, type Page, useBrowser } from "./browser";

let folder: string;

useBrowser(() => {
  folder = mkdtempSync(path.join(tmpdir(), "page-"));
  return Promise.resolve(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
});

const serviceCalled = (name: string, n = 0): PageObject => ({
  key: `Service/s${n}`,
  kind: "Service",
  id: `s${n}`,
  name,
  project: "p1",
  status: "READY",
  condition: "settled",
  properties: { cpuMillis: 500, memoryGbs: 2, environment: "DEV", replicaCount: 30 },
});

const documentWith = (parts: Partial<PageDocument>): PageDocument => ({
  format: "pulumi-dbcloud/page",
  version: 1,
  title: "shop",
  at: "2026-03-01T06:00:00.000Z",
  summary: "No drift.",
  heading: "What the next `pulumi up --refresh` does",
  projects: ["p1"],
  stacks: [],
  objects: [],
  relations: [],
  findings: [],
  events: [],
  ...parts,
});

async function open(document: PageDocument, options?: Parameters<typeof browser.open>[1]): Promise<Page> {
  documentSchema.parse(document);
  const file = path.join(folder, `${document.title}.html`);
  writeFileSync(file, asPage(document));
  return browser.open(pathToFileURL(file).href, options);
}

const many = Array.from({ length: 120 }, (_, n) => serviceCalled(`service-${String(n).padStart(3, "0")}`, n));

test("on a phone nothing is wider than the screen, however long names are", async () => {
  const long = serviceCalled("n".repeat(300));
  const page = await open(documentWith({ objects: [long, ...many.slice(1)] }), { width: 390, height: 800 });
  await page.getByRole("article").first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.close();
});

test("on paper everything is there, dark on white, although only what is near was drawn", async () => {
  const page = await open(documentWith({ title: "paper", objects: many }), { dark: true });
  expect(await page.getByRole("article").count()).toBeLessThan(many.length);
  // Counted when the browser has printed: as soon as it has, the page may again draw only what is near.
  await page.evaluate(() => {
    addEventListener("afterprint", () => {
      document.body.dataset["printed"] = String(document.querySelectorAll("article").length);
    });
  });
  await page.pdf();
  expect(await page.evaluate(() => document.body.dataset["printed"])).toBe(String(many.length));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(paper).toBe("rgb(255, 255, 255)");
  await page.close();
});

test("by keyboard alone a group folds, and an object opens and closes", async () => {
  const vpc: PageObject = { ...serviceCalled("main"), key: "Vpc/v", kind: "Vpc", id: "v", properties: {} };
  const inside = { is: "in", from: "Service/s1", to: "Vpc/v" } as const;
  const page = await open(
    documentWith({ title: "keys", objects: [vpc, serviceCalled("orders", 1)], relations: [inside] }),
  );
  expect(await namesOf(page, "region")).toEqual(["Landscape", "VPC main", "Findings"]);
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let n = 0; n < 20; n += 1) {
      await page.keyboard.press("Tab");
      if (name.test((await page.evaluate(() => document.activeElement?.textContent)) ?? "")) return;
    }
    throw new Error(`no Tab leads to ${String(name)}`);
  };
  await tabTo(/main: what is in it/);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("article").count()).toBe(0);
  await page.keyboard.press("Enter");
  await tabTo(/^orders$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Service orders/ }).waitFor();
  await page.goBack();
  await page.getByRole("article", { name: "Service orders, READY" }).waitFor();
  await page.close();
});

test("no text of a document becomes a tag, an attribute, an address or the end of the script", async () => {
  const evil = `</script><img src=x onerror="document.title='owned'">`;
  const object = { ...serviceCalled(evil), key: evil, id: evil, status: evil, properties: { environment: evil } };
  const finding = { about: [evil], title: evil, next: evil, keep: evil, command: evil, stack: evil, live: evil };
  const page = await open(
    documentWith({
      title: "evil",
      summary: evil,
      objects: [object],
      findings: [{ ...finding, category: "changed", property: evil, program: "javascript:alert(1)" }],
    }),
  );
  await page.getByRole("article", { name: `Service ${evil}, ${evil}, drifted` }).waitFor();
  await page.getByRole("article").getByRole("link").first().click();
  await page.getByRole("heading", { name: `Service ${evil}` }).waitFor();
  expect(await page.locator("img").count()).toBe(0);
  expect(await page.title()).toBe("evil · drift");
  expect(browser.errors()).toEqual([]);
  await page.close();
});

test("findings without an object, and objects that are gone, are shown", async () => {
  const gone = { ...serviceCalled("lost", 2), status: "gone", condition: "gone" as const };
  const page = await open(
    documentWith({
      title: "gone",
      objects: [gone],
      findings: [
        { category: "unknown", about: [], title: "the API cannot be reached" },
        { category: "missing", about: ["Service/s2"], title: "lost is gone", next: "creates it again" },
      ],
    }),
  );
  await page.getByRole("article", { name: "Service lost, gone, drifted" }).waitFor();
  expect(await page.getByRole("region", { name: "Findings" }).textContent()).toContain("the API cannot be reached");
  await page.getByRole("button", { name: "1 wants attention" }).waitFor();
  await page.close();
});
