// `npm run docs`: writes the documents that are made from the sources. A test fails while they differ.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { writeReference } from "./docs/reference.mjs";
import { writeRepeats } from "./docs/repeats.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = createRequire(path.join(root, "dist", "provider", "api", "/"));

write("reference.md", () => writeReference(root));
write("reliability.md", (text) => writeRepeats(text, { ...built("./operations.js"), ...built("./retry.js") }));

function write(name, textOf) {
  const file = path.join(root, "docs", name);
  writeFileSync(file, textOf(readFileSync(file, "utf8")));
  process.stdout.write(`wrote docs/${name}\n`);
}
