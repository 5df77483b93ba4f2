// The README's programs are read by the compiler as a user's would be.

import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = path.join(__dirname, "..", "..");
const readme = readFileSync(path.join(root, "README.md"), "utf8");
const snippets = [...readme.matchAll(/```ts\n(?<code>[\s\S]*?)```/g)].map((match) => match.groups?.["code"] ?? "");

/** What a snippet takes for granted: names that the text around it explains. */
const GIVEN = `declare const billingKey: string, baseUrl: string, id: string;\n`;

test("every TypeScript snippet of the README compiles against the sources", () => {
  expect(snippets.length).toBeGreaterThanOrEqual(4);
  const files = new Map(
    snippets.map((code, index) => [path.join(root, "test", "documents", `snippet${index}.ts`), `${code}\n${GIVEN}`]),
  );
  // What a snippet imports of its own project.
  files.set(path.join(root, "test", "documents", "index.ts"), "export {};");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: ["node"],
    paths: {
      "pulumi-dbcloud": [path.join(root, "provider/index.ts")],
      "pulumi-dbcloud/emulator": [path.join(root, "emulator/index.ts")],
      "pulumi-dbcloud/testing": [path.join(root, "testing/index.ts")],
      "pulumi-dbcloud/client": [path.join(root, "provider/client.ts")],
    },
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.readFile = (name) => files.get(path.normalize(name)) ?? read(name);
  host.fileExists = (name) => files.has(path.normalize(name)) || exists(name);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, language) => {
    const text = files.get(path.normalize(name));
    return text === undefined ? getSourceFile(name, language) : ts.createSourceFile(name, text, language, true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const complaints = [...files.keys()]
    .flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
  expect(complaints).toEqual([]);
}, 240_000);
