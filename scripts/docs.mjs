// `npm run docs`: writes the documents that are made from the sources. A test fails while they differ.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { writeReference } from "./docs/reference.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
writeFileSync(path.join(root, "docs", "reference.md"), writeReference(root));
process.stdout.write("wrote docs/reference.md\n");
