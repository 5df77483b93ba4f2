// `npm run docs`: writes the documents that are generated from the sources. A test fails while they differ.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type * as Configuration from "../provider/domain/config/config.ts";
import type * as Program from "../cli/program.ts";
import type * as CommandOptions from "../emulator/commandOptions.ts";
import type * as Operations from "../provider/api/operations/index.ts";
import type * as Exchange from "../provider/api/http/exchange.ts";
import type * as Resources from "../provider/kinds/index.ts";
import type * as PageSchema from "../page/schema.ts";
import type * as StateNames from "../provider/pulumi/stateNames.ts";
import { newestCalls, writeEngineCalls } from "./docs/engineCalls.ts";
import { writeReference } from "./docs/reference.ts";
import { writeRepeats } from "./docs/repeats.ts";
import { writePageSchema } from "./docs/pageSchema.ts";
import { writeSchema } from "./docs/schema.ts";
import { compile } from "./invariants/compile.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiled = compile({ root, name: "docs" });
const load = createRequire(path.join(compiled, "provider", "/"));
const { operations, operationList } = load("./api/operations/index.js") as typeof Operations;
const { BACKOFF } = load("./api/http/exchange.js") as typeof Exchange;
const { resources } = load("./kinds/index.js") as typeof Resources;
const { configKeys, environmentName } = load("./domain/config/config.js") as typeof Configuration;
const { commands } = load("../cli/program.js") as typeof Program;
const { usage: emulatorUsage } = load("../emulator/commandOptions.js") as typeof CommandOptions;
const { ID_NAMES: ids, LIST_MEMBERS: lists } = load("./pulumi/stateNames.js") as typeof StateNames;
const { documentSchema } = load("../page/schema.js") as typeof PageSchema;
rmSync(compiled, { recursive: true, force: true });

write("docs/reference.md", () => writeReference(root, { operations, commands, emulatorUsage }));
write("docs/internals/reliability.md", (text) =>
  writeEngineCalls(writeRepeats(text, { operationList, BACKOFF }), newestCalls(root)),
);
write("plugin/schema.json", () => writeSchema(root, { resources, configKeys, environmentName, ids, lists }));
write("docs/page.schema.json", () => writePageSchema(documentSchema));

function write(name: string, textOf: (text: string) => string): void {
  const file = path.join(root, name);
  writeFileSync(file, textOf(existsSync(file) ? readFileSync(file, "utf8") : ""));
  process.stdout.write(`wrote ${name}\n`);
}
