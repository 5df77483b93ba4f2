// The programs of the documents are read by the compiler as a user's would be.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = path.join(__dirname, "..", "..");
const documents = ["README.md", ...readdirSync(path.join(root, "docs")).map((name) => `docs/${name}`)];
const snippets = documents.flatMap((document) =>
  [...readFileSync(path.join(root, document), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code = ""], index) => ({ file: `${document.replaceAll(/\W/g, "_")}_${index}.ts`, code }),
  ),
);

test("the program of the Automation API is the one of the examples", () => {
  const [program] = snippets.filter(({ file }) => file.startsWith("docs_automation_md"));
  expect(program?.code).toBe(readFileSync(path.join(root, "examples", "automation", "index.ts"), "utf8"));
});

/** What a snippet takes for granted: names that the text around it explains. */
const GIVEN = `declare const billingKey: string, baseUrl: string, id: string;\n`;

test("every TypeScript snippet of the documents compiles against the sources", () => {
  expect(snippets.length).toBeGreaterThanOrEqual(8);
  const files = new Map(
    snippets.map(({ file, code }) => [path.join(root, "test", "documents", file), `${code}\n${GIVEN}`]),
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
      "pulumi-dbcloud/native": [path.join(root, "provider/native.ts")],
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
    .map(
      ({ file, messageText }) =>
        `${path.basename(file?.fileName ?? "")}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
  expect(complaints).toEqual([]);
}, 240_000);
