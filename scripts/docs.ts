// `npm run docs`: writes the documents that are generated from the sources. A test fails while they differ.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type * as Operations from "../provider/api/operations/index.ts";
import type * as Retry from "../provider/api/http/retry.ts";
import { newestCalls, writeEngineCalls } from "./docs/engineCalls.ts";
import { writeReference } from "./docs/reference.ts";
import { writeRepeats } from "./docs/repeats.ts";
import { compile } from "./invariants/compile.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiled = compile({ root, name: "docs" });
const load = createRequire(path.join(compiled, "provider", "api", "/"));
const { operationList } = load("./operations/index.js") as typeof Operations;
const { repeats, BACKOFF, BUDGET } = load("./http/retry.js") as typeof Retry;
rmSync(compiled, { recursive: true, force: true });

write("reference.md", () => writeReference(root));
write("reliability.md", (text) =>
  writeEngineCalls(writeRepeats(text, { operationList, repeats, BACKOFF, BUDGET }), newestCalls(root)),
);

function write(name: string, textOf: (text: string) => string): void {
  const file = path.join(root, "docs", name);
  writeFileSync(file, textOf(readFileSync(file, "utf8")));
  process.stdout.write(`wrote docs/${name}\n`);
}
