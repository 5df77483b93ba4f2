// Runs a program that must declare its resources again in each run. Node loads the modules of `() =>
// import("./index.js")` once per process, so a second run would declare nothing, and delete everything. This file makes
// Node load them again.

import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire, registerHooks } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { TestStackError } from "./error";

/** Declares resources, or imports a module that does. The result, or the module's exports, are the outputs. */
export type Program = () => unknown;

/** Modules that a run of any test stack has loaded already. */
const loaded = new WeakSet<object>();

export function declaredAnew(program: Program): PulumiFn {
  return async () => {
    let result: unknown = await program();
    if (isModule(result) && loaded.has(result)) {
      result = await withFreshModules(program);
      if (isModule(result) && loaded.has(result)) throw notLoadedAnew();
    }
    if (isModule(result)) loaded.add(result);
    const exported = isModule(result) ? exportsOf(result) : result;
    const outputs: unknown = typeof exported === "function" ? await (exported as Program)() : exported;
    return typeof outputs === "object" && outputs !== null ? { ...outputs } : undefined;
  };
}

function notLoadedAnew(cause?: unknown): TestStackError {
  return new TestStackError(
    "the program's module was loaded by an earlier run, and this test runner loads it only once: nothing would be declared. " +
      "Give a function that declares the resources itself (`program: () => { new Service(…) }`), or a project folder (`workDir`).",
    "",
    { cause },
  );
}

/** The result of `import()`, or the exports of a CommonJS module. */
function isModule(result: unknown): result is object {
  if (typeof result !== "object" || result === null) return false;
  if (Object.prototype.toString.call(result) === "[object Module]") return true;
  return Object.values(require.cache).some((module) => module?.exports === result);
}

/** As Pulumi reads a program: the default export alone, or all named exports. */
function exportsOf(module: object): unknown {
  const names = Object.keys(module).filter((name) => name !== "module.exports");
  if (!names.includes("default")) return module;
  const value: unknown = Reflect.get(module, "default");
  const isCommonJs = names.length > 1 || "module.exports" in module;
  if (!isCommonJs || value === Reflect.get(module, "module.exports")) return value;
  throw new TestStackError("a program exports either a default or names, not both");
}

const fresh = new AsyncLocalStorage<string>();
let runs = 0;
let areHooksThere = false;

async function withFreshModules(program: Program): Promise<unknown> {
  for (const file of Object.keys(require.cache)) if (isOwn(file)) Reflect.deleteProperty(require.cache, file);
  await resetVitest();
  try {
    if (!areHooksThere) hookImports();
  } catch (error) {
    // Jest has its own module system, and does not support hooks of Node's loader.
    throw notLoadedAnew(error);
  }
  areHooksThere = true;
  runs += 1;
  return fresh.run(String(runs), async () => program());
}

const isOwn = (file: string): boolean => !/[\\/]node_modules[\\/]/.test(file);

const mark = "dbcloud-run";

/** Node caches modules by URL: a mark in the URL makes another module, and its imports get the same mark. */
function hookImports(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (!context.conditions.includes("import") || !resolved.url.startsWith("file:") || !isOwn(resolved.url))
        return resolved;
      const url = new URL(resolved.url);
      const run = markOf(context.parentURL) ?? fresh.getStore();
      if (run === undefined) return resolved;
      url.searchParams.set(mark, run);
      return { ...resolved, url: url.href };
    },
  });
}

function markOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? (new URL(url).searchParams.get(mark) ?? undefined) : undefined;
}

/** Vitest caches modules itself. It is resolved from the folder of the tests, and only if they run in it. */
async function resetVitest(): Promise<void> {
  if (process.env["VITEST"] === undefined) return;
  const manifest = createRequire(`${process.cwd()}/package.json`).resolve("vitest/package.json");
  const file = path.join(path.dirname(manifest), "dist/index.js");
  const { vi } = (await import(pathToFileURL(file).href)) as { vi?: { resetModules?: () => void } };
  vi?.resetModules?.();
}
