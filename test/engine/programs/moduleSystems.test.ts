// The ways in which people write programs. The same few lines in each; the engine and the provider process find this
// package from each of them, and none of them sees the others' module system.

import { expect, test } from "vitest";
import { succeed } from "../../support/cliProcess";
import type { State } from "../../support/cli/project";
import { useEngineWorld, world } from "../world";

useEngineWorld();

const yaml = (name: string, options = ""): string => `name: ${name}\nruntime:\n  name: nodejs\n${options}`;
const tsconfig = JSON.stringify({ compilerOptions: { module: "NodeNext", target: "ES2023", strict: true } });
const native = "  options:\n    typescript: false\n";

// `found` is what a function saw in the program's own process, `cidr` what the provider process answered.
const body = `
const net = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
const found = getVpcOutput({ vpcId: net.vpcId });
`;
const typed = `import { getVpcOutput, Vpc } from "pulumi-dbcloud";\n${body}`;
const esm = `${typed}export const cidr = net.cidr;\nexport const name = found.name;\n`;

const programs: [string, Record<string, string>, Record<string, unknown>][] = [
  [
    "commonjs-typescript",
    { "Pulumi.yaml": yaml("commonjs-typescript"), "tsconfig.json": tsconfig, "index.ts": esm },
    {},
  ],
  [
    "esm-typescript",
    { "Pulumi.yaml": yaml("esm-typescript"), "tsconfig.json": tsconfig, "index.ts": esm },
    { type: "module" },
  ],
  [
    "commonjs-javascript",
    {
      "Pulumi.yaml": yaml("commonjs-javascript", native),
      "index.js": `const { getVpcOutput, Vpc } = require("pulumi-dbcloud");\n${body}exports.cidr = net.cidr;\nexports.name = found.name;\n`,
    },
    {},
  ],
  [
    "esm-javascript",
    { "Pulumi.yaml": `${yaml("esm-javascript", native)}main: index.mjs\n`, "index.mjs": esm },
    { main: "index.mjs" },
  ],
];

test.each(programs)(
  "a program in %s finds this package, and so does the provider process",
  async (name, files, packageJson) => {
    const manifest = { "package.json": JSON.stringify({ name, private: true, ...packageJson }) };
    const project = await world.project(name, { ...files, ...manifest }, name);
    await succeed(project.pulumi("up --yes --skip-preview"));
    const { deployment } = JSON.parse(await project.state()) as State;
    const stack = deployment.resources?.find(({ type }) => type === "pulumi:pulumi:Stack");
    expect(stack?.outputs).toEqual({ cidr: "10.0.0.0/24", name: `net-${name}` });
  },
);
