// A browser for tests: a fresh one for each file, without a network beside the loopback, and what axe finds on a page.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type * as Playwright from "playwright-core";
import { beforeAll, beforeEach } from "vitest";
import { skipOrFail } from "../support/required";

export type Page = Playwright.Page;

const tools = createRequire(path.resolve(__dirname, "../../tools/browser/package.json"));

const chrome = process.env["CHROME_PATH"] ?? "";

/** As root, Chromium runs only without its sandbox; and it must not ask anybody for updates. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--enable-precise-memory-info",
  "--js-flags=--expose-gc",
];

export interface Browser {
  /** A new tab; its errors end the test that asked for it. */
  open(url: string, options?: { width?: number; height?: number; dark?: boolean }): Promise<Page>;
  /** What pages have thrown, or the policy has refused, since the last call. */
  errors(): string[];
  close(): Promise<void>;
}

async function startBrowser(): Promise<Browser> {
  const { chromium } = tools("playwright-core") as typeof Playwright;
  const folder = mkdtempSync(path.join(tmpdir(), "browser-"));
  const beside = path.dirname(chrome);
  const libraries = path.join(beside, "al2023", "lib");
  const ours = { LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: path.join(beside, "fonts", "fonts.conf") };
  const context: Playwright.BrowserContext = await chromium.launchPersistentContext(folder, {
    executablePath: chrome,
    args: flags,
    headless: true,
    // Without the reading of preferences that a desktop has.
    env: { ...process.env, HOME: folder, ...(existsSync(libraries) ? ours : {}) },
  });
  const seen: string[] = [];
  return {
    async open(url, { width = 1280, height = 900, dark = false } = {}) {
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      page.on("pageerror", (error) => void seen.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") seen.push(message.text());
      });
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      await page.goto(url);
      return page;
    },
    errors: () => seen.splice(0),
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export let browser: Browser;

/** A browser for the tests of a file, and what `prepare` opens for it and closes after them. */
export function useBrowser(prepare: () => Promise<() => Promise<unknown>>): void {
  beforeAll(async () => {
    if (chrome === "") return undefined;
    browser = await startBrowser();
    const end = await prepare();
    return async () => {
      await browser.close();
      await end();
    };
  });
  beforeEach(({ skip }) => {
    if (chrome === "") skipOrFail("no browser: set CHROME_PATH, or run the tests with `npm test`", skip);
  });
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** What axe finds that is serious, each with the first place. */
export async function seriousFaults(page: Page): Promise<string[]> {
  const source = readFileSync(tools.resolve("axe-core/axe.min.js"), "utf8");
  // By the protocol: the policy of the page lets no other script in.
  const client = await page.context().newCDPSession(page);
  await client.send("Runtime.evaluate", { expression: source });
  const answer = await client.send("Runtime.evaluate", {
    expression: "axe.run().then(({ violations }) => JSON.stringify(violations))",
    awaitPromise: true,
    returnByValue: true,
  });
  const violations = JSON.parse(String(answer.result.value)) as Violation[];
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
}

/** The accessible names of what has this role, in the order of the page. */
export async function namesOf(page: Page, role: "article" | "region" | "group"): Promise<string[]> {
  return page.getByRole(role).evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
}

const docs = path.resolve(__dirname, "../../docs/pictures");

const isUpdating = process.env["PICTURES"] === "update";

/** Writes a picture of the docs, if it is asked to (`PICTURES=update`). */
export function savePicture(name: string, text: string): void {
  if (isUpdating) writeFileSync(path.join(docs, name), text);
}

/** The same of a page, light and dark. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!isUpdating) return;
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  await page.setViewportSize({ width: 1280, height: 480 });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: path.join(docs, `${name}-${colorScheme}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(before);
}
