// The examples of the schema: each program is written once, and printed in every language.
import type { Kind } from "../../provider/domain/kinds.ts";
import { kinds } from "./reference.ts";

/** `"net.vpcId"` in a `Ref` is an output of a resource before. */
class Ref {
  readonly resource: string;
  readonly output: string;

  constructor(text: string) {
    [this.resource = "", this.output = ""] = text.split(".");
  }
}

type Value = string | number | Ref | Members;
interface Members {
  [name: string]: Value;
}

interface Declared {
  kind: Kind;
  name: string;
  inputs: Members;
}

export interface Example {
  title: string;
  resources: readonly Declared[];
  /** A stack output, with its name. */
  exported: readonly [string, Ref];
}

const regionCode = "us-east-1";
const net: Declared = { kind: "vpc", name: "net", inputs: { cidr: "10.0.0.0/24", regionCode } };
const orders: Declared = {
  kind: "service",
  name: "orders",
  inputs: { regionCode, cpuMillis: 1000, memoryGbs: 4 },
};

export const examples: Readonly<Record<Kind, Example>> = {
  service: {
    title: "A service with a standby replica, and its connection string",
    resources: [{ ...orders, inputs: { ...orders.inputs, haReplicas: { replicaCount: 1 } } }],
    exported: ["url", new Ref("orders.connectionUri")],
  },
  vpc: {
    title: "A VPC with a service in it",
    resources: [net, { ...orders, inputs: { ...orders.inputs, vpcId: new Ref("net.vpcId") } }],
    exported: ["host", new Ref("orders.host")],
  },
  peering: {
    title: "A peering with a VPC in your AWS account",
    resources: [
      net,
      {
        kind: "peering",
        name: "office",
        inputs: {
          vpcId: new Ref("net.vpcId"),
          peerAccountId: "123456789012",
          peerRegionCode: regionCode,
          peerVpcId: "vpc-0a1b2c3d",
        },
      },
    ],
    exported: ["toAccept", new Ref("office.provisionedId")],
  },
  readReplicaSet: {
    title: "Two nodes for reports, with their connection string",
    resources: [
      orders,
      {
        kind: "readReplicaSet",
        name: "readers",
        inputs: {
          serviceId: new Ref("orders.serviceId"),
          nodes: 2,
          cpuMillis: 500,
          memoryGbs: 2,
          password: new Ref("orders.initialPassword"),
        },
      },
    ],
    exported: ["reportsUrl", new Ref("readers.connectionUri")],
  },
};

/** The program in the language of each code block. `goModule`: where Go finds the package. */
export function programsOf(example: Example, goModule: string): Record<string, string> {
  return {
    typescript: inTypeScript(example),
    python: inPython(example),
    go: inGo(example, goModule),
    yaml: inYaml(example),
  };
}

/** Pulumi: the pages of a package, and the generators of SDKs, choose the language by these marks. */
export function describeExample(example: Example, goModule: string): string {
  const blocks = Object.entries(programsOf(example, goModule)).map(
    ([language, text]) => `\`\`\`${language}\n${text}\`\`\`\n`,
  );
  return `{{% examples %}}
## Example Usage
{{% example %}}
### ${example.title}

${blocks.join("")}{{% /example %}}
{{% /examples %}}`;
}

function inTypeScript({ resources, exported: [name, ref] }: Example): string {
  const written = (value: Value): string => {
    if (value instanceof Ref) return `${value.resource}.${value.output}`;
    if (typeof value !== "object") return JSON.stringify(value);
    return `{ ${pairs(value, (key, one) => `${key}: ${written(one)}`).join(", ")} }`;
  };
  const made = resources.map((one) => {
    const lines = pairs(one.inputs, (key, value) => `  ${key}: ${written(value)},\n`).join("");
    return `const ${one.name} = new dbcloud.${titleOf(one)}("${one.name}", {\n${lines}});\n`;
  });
  return `import * as dbcloud from "pulumi-dbcloud/native";\n\n${made.join("")}export const ${name} = ${written(ref)};\n`;
}

function inPython({ resources, exported: [name, ref] }: Example): string {
  const written = (value: Value): string => {
    if (value instanceof Ref) return `${value.resource}.${snake(value.output)}`;
    if (typeof value !== "object") return JSON.stringify(value);
    return `{${pairs(value, (key, one) => `"${snake(key)}": ${written(one)}`).join(", ")}}`;
  };
  const made = resources.map((one) => {
    const lines = pairs(one.inputs, (key, value) => `    ${snake(key)}=${written(value)},\n`).join("");
    return `${one.name} = dbcloud.${titleOf(one)}(\n    "${one.name}",\n${lines})\n`;
  });
  return `import pulumi\nimport pulumi_dbcloud as dbcloud\n\n${made.join("")}pulumi.export("${name}", ${written(ref)})\n`;
}

function inGo({ resources, exported: [name, ref] }: Example, goModule: string): string {
  const used = new Set([ref, ...resources.flatMap(({ inputs }) => Object.values(inputs))].map(resourceIn));
  const written = (key: string, value: Value): string => {
    if (value instanceof Ref) return `${value.resource}.${pascal(value.output)}`;
    if (typeof value === "number") return `pulumi.Int(${value})`;
    if (typeof value === "string") return `pulumi.String(${JSON.stringify(value)})`;
    return `&dbcloud.${pascal(key)}Args{${pairs(value, (inner, one) => `${pascal(inner)}: ${written(inner, one)}`).join(", ")}}`;
  };
  const made = resources.map((one, index) => {
    const width = Math.max(...Object.keys(one.inputs).map((key) => key.length)) + 1;
    const lines = pairs(
      one.inputs,
      (key, value) => `\t\t\t${`${pascal(key)}:`.padEnd(width)} ${written(key, value)},\n`,
    );
    const isUsed = used.has(one.name);
    const assigned = `${isUsed ? one.name : "_"}, err ${isUsed || index === 0 ? ":=" : "="}`;
    const title = titleOf(one);
    return `\t\t${assigned} dbcloud.New${title}(ctx, "${one.name}", &dbcloud.${title}Args{
${lines.join("")}\t\t})
\t\tif err != nil {
\t\t\treturn err
\t\t}
`;
  });
  return `package main

import (
\t"${goModule}"
\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
\tpulumi.Run(func(ctx *pulumi.Context) error {
${made.join("")}\t\tctx.Export("${name}", ${written("", ref)})
\t\treturn nil
\t})
}
`;
}

function inYaml({ resources, exported: [name, ref] }: Example): string {
  const written = (value: Value): string => {
    if (value instanceof Ref) return `\${${value.resource}.${value.output}}`;
    // A text of digits would be a number.
    if (typeof value !== "object") return typeof value === "string" && /^\d+$/.test(value) ? `"${value}"` : `${value}`;
    return `{ ${pairs(value, (key, one) => `${key}: ${written(one)}`).join(", ")} }`;
  };
  const made = resources.map((one) => {
    const lines = pairs(one.inputs, (key, value) => `      ${key}: ${written(value)}\n`).join("");
    return `  ${one.name}:\n    type: dbcloud:${titleOf(one)}\n    properties:\n${lines}`;
  });
  return `resources:\n${made.join("")}outputs:\n  ${name}: ${written(ref)}\n`;
}

function pairs(members: Members, write: (key: string, value: Value) => string): string[] {
  return Object.entries(members).map(([key, value]) => write(key, value));
}

function resourceIn(value: Value): string | undefined {
  return value instanceof Ref ? value.resource : undefined;
}

function titleOf({ kind }: Declared): string {
  return kinds[kind].title;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function pascal(name: string): string {
  return name.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}
