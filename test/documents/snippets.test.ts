// The programs of the documents are read by the compiler as a user's would be.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../support/folder";
import { blocksOf, root, textOf } from "../support/repository";

const pages = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"));
const documents = ["README.md", ...pages.map((name) => `docs/${name}`)];
const snippets = documents.flatMap((document) =>
  blocksOf(textOf(document), "ts").map((code, index) => {
    return { file: `${document.replaceAll(/\W/g, "_")}_${index}.ts`, code };
  }),
);

interface Config {
  config: { compilerOptions: { paths: Record<string, [string]> } };
}

/** What a snippet takes for granted: names that the text around it explains. */
const GIVEN = `declare const billingKey: string, baseUrl: string, id: string;\n`;

/** What the snippets use of AWS's package, which is too large to install for its types: the arguments as it declares them. */
const AWS = `import { type CustomResource, type CustomResourceOptions, type Input, ProviderResource } from "@pulumi/pulumi";
export declare class Provider extends ProviderResource {
  constructor(name: string, args: { region?: Input<string>; profile?: Input<string> });
}
type Class<Args> = new (name: string, args: Args, opts?: CustomResourceOptions) => CustomResource;
export declare const ec2: {
  VpcPeeringConnectionAccepter: Class<{ vpcPeeringConnectionId: Input<string>; autoAccept?: Input<boolean> }>;
  Route: Class<{ routeTableId: Input<string>; destinationCidrBlock?: Input<string>; vpcPeeringConnectionId?: Input<string> }>;
};`;

test("every TypeScript snippet of the documents compiles against the sources", () => {
  expect(snippets.length).toBeGreaterThanOrEqual(8);
  // Below the packages that the snippets import.
  const folder = mkdtempSync(path.join(root, "node_modules", "snippets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const { file, code } of snippets) writeFiles(folder, { [file]: `${code}\n${GIVEN}` });
  // What a snippet imports of its own project.
  writeFiles(folder, { "index.ts": "export {};", "aws.ts": AWS });
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), (file) => ts.sys.readFile(file)) as Config;
  const paths = Object.entries(config.compilerOptions.paths).map(([name, [file]]) => [name, [path.join(root, file)]]);
  const program = ts.createProgram(
    readdirSync(folder).map((name) => path.join(folder, name)),
    {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: ["node"],
      paths: { ...(Object.fromEntries(paths) as ts.MapLike<string[]>), "@pulumi/aws": [path.join(folder, "aws.ts")] },
    },
  );
  const complaints = program
    .getRootFileNames()
    .flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    .map(
      ({ file, messageText }) =>
        `${path.basename(file?.fileName ?? "")}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
  expect(complaints).toEqual([]);
}, 240_000);
