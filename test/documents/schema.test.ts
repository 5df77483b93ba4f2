// The rows of inputs and settings, the classes and functions, the schema of the plugin and the reference have the same names,
// and mark the same of them as required, secret and replacing.

import type * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { configKeys, environmentName } from "../../provider/domain/config/config";
import type { Field } from "../../provider/domain/fields";
import type { Kind } from "../../provider/domain/kinds";
import * as program from "../../provider/index";
import * as native from "../../provider/native";
import { markSecrets } from "../../provider/host/shapes";
import { resources } from "../../provider/kinds";
import { CLASS_NAMES, ID_NAMES, LIST_MEMBERS, typeOf } from "../../provider/pulumi/stateNames";
import { startProgram } from "../pulumi/program";
import { textOf } from "../support/repository";

interface Node {
  type?: string;
  $ref?: string;
  items?: Node;
  oneOf?: Node[];
  anyOf?: Node[];
  enum?: (string | { name: string; value: string })[];
  properties?: Record<string, Property>;
  required?: string[];
}
type Property = Node & {
  description?: string;
  secret?: true;
  willReplaceOnChanges?: true;
  defaultInfo?: { environment: string[] };
};
type Properties = Record<string, Property>;

interface Resource extends Required<Node> {
  inputProperties: Properties;
  requiredInputs: string[];
  stateInputs: Required<Node>;
  aliases: object[];
}

interface Schema {
  config: { variables: Properties };
  provider: { inputProperties: Properties };
  resources: Record<string, Resource>;
  functions: Record<string, { inputs: Required<Node>; outputs: Required<Node> }>;
  types: Record<string, Node>;
}

const schema = JSON.parse(textOf("plugin/schema.json")) as Schema;
const chapters = new Map(
  textOf("docs/reference.md")
    .split("\n## ")
    .map((chapter) => [/^\w+/.exec(chapter)?.[0] ?? "", chapter]),
);
type Class = new (name: string, args: never, opts: pulumi.CustomResourceOptions) => pulumi.Resource;
const classes: Readonly<Record<Kind, Class>> = {
  service: program.Service,
  vpc: program.Vpc,
  peering: program.Peering,
  readReplicaSet: program.ReadReplicaSet,
};
const inputsOfAll = ["projectId", "adoptId", "timeouts"];

describe.each(Object.entries(classes) as [Kind, Class][])("%s", (kind, Class) => {
  const name = CLASS_NAMES[kind];
  const fields: [string, Field][] = Object.entries(resources[kind].fields);
  const spec = schema.resources[`dbcloud:index:${name}`];
  const { inputProperties = {}, requiredInputs = [], stateInputs, properties = {}, aliases } = spec ?? {};
  const [inputs = ""] = (chapters.get(name) ?? "").split(/\n### |\nOutputs, besides/);
  const [, outputs = ""] = (chapters.get(name) ?? "").split("\nOutputs, besides the inputs:");
  const declared = { names: [] as string[], secrets: [] as string[] };

  beforeAll(async () => {
    await startProgram();
    const look: pulumi.ResourceTransformation = ({ opts }) => {
      const { additionalSecretOutputs = [] }: pulumi.CustomResourceOptions = opts;
      declared.secrets = additionalSecretOutputs;
      return undefined;
    };
    const args = properties["password"] ? { password: "given" } : {};
    const made = new Class("a", args as never, { transformations: [look] });
    declared.names = Object.keys(made).filter((key) => !/^(?:__.*|id|urn)$/.test(key));
  });

  test("has the inputs of its rows, with their types", () => {
    expect(sorted(Object.keys(inputProperties))).toEqual(sorted(fields.map(([key]) => key)));
    expect(sorted(new Set([...firstCells(inputs), ...inputsOfAll]))).toEqual(sorted(Object.keys(inputProperties)));
    for (const [key, { schema: row }] of fields) {
      expect([key, formOf(inputProperties[key])]).toEqual([key, formOf(z.toJSONSchema(row) as Node)]);
    }
  });

  test("marks them as its rows do", () => {
    const marked = (is: (field: Field) => unknown): string[] =>
      sorted(fields.filter(([, field]) => is(field)).map(([key]) => key));
    expect(sorted(requiredInputs)).toEqual(marked(({ required }) => required));
    expect(sorted(firstCells(inputs, /^- `(\w+)` \(required\):/gm))).toEqual(marked(({ required }) => required));
    expect(sorted(secretsOf(inputProperties))).toEqual(marked(({ secret }) => secret));
    const replacing = Object.keys(inputProperties).filter((key) => inputProperties[key]?.willReplaceOnChanges);
    expect(sorted(replacing)).toEqual(marked(({ change }) => change === "replaces"));
    expect(Object.keys(inputProperties)).toEqual(expect.arrayContaining(Object.keys(stateInputs?.properties ?? {})));
  });

  test("has the outputs of its class, and was known under its dynamic type", () => {
    expect(sorted(Object.keys(properties))).toEqual(sorted([...declared.names, ID_NAMES[kind]]));
    const marked = Object.entries(markSecrets({ ...properties })).filter(([key, value]) => value !== properties[key]);
    expect(sorted(secretsOf(properties))).toEqual(sorted(marked.map(([key]) => key)));
    expect(secretsOf(properties)).toEqual(expect.arrayContaining(declared.secrets));
    const named = firstCells(outputs, /`(\w+)`/g);
    const getters = named.filter((key) => key in Class.prototype && key !== ID_NAMES[kind]);
    const others = Object.keys(properties).filter((key) => !(key in inputProperties));
    expect(sorted(named)).toEqual(sorted([...others, ...getters]));
    expect(aliases).toEqual([{ type: typeOf("dynamic", kind) }]);
  });
});

test("the functions of a program, with LIST_MEMBERS in the member that mocks answer with", () => {
  const names = Object.keys(program).filter((name) => /^(?:get|serviceLogs)/.test(name) && !name.endsWith("Output"));
  expect(sorted(Object.keys(schema.functions))).toEqual(sorted(names.map((name) => `dbcloud:index:${name}`)));
  expect(sorted(firstCells(chapters.get("Functions") ?? ""))).toEqual(sorted(names));
  const members = Object.entries(schema.functions).flatMap(([token, { outputs }]) => {
    const [member = "", ...more] = Object.keys(outputs.properties);
    return more.length === 0 ? [[token.replace("dbcloud:index:", ""), member]] : [];
  });
  expect(Object.fromEntries(members)).toEqual(LIST_MEMBERS);
});

test("the settings, with types whose values the table reads", () => {
  const { variables } = schema.config;
  const named = Object.entries(variables).map(([key, { defaultInfo, ...variable }]) => {
    expect(defaultInfo).toEqual({ environment: [environmentName(key)] });
    return [key, variable];
  });
  expect(schema.provider.inputProperties).toEqual(Object.fromEntries(named));
  expect(sorted(Object.keys(variables))).toEqual(sorted(Object.keys(configKeys)));
  expect(secretsOf(variables)).toEqual(["apiKey"]);
  const typed = Object.entries(variables).filter(([, { type }]) => type !== "string");
  expect(Object.fromEntries(typed.map(([key, { type }]) => [key, type]))).toEqual({
    maxRequestsPerSecond: "number",
    maxConcurrency: "integer",
    allowInsecure: "boolean",
    quiet: "boolean",
    deletionProtection: "boolean",
    readOnly: "boolean",
  });
});

test("words have names that every language writes well, which the native form of TypeScript has as well", () => {
  const words = Object.entries(schema.types).flatMap(([token, { enum: members }]) =>
    members === undefined ? [] : [[token.replace("dbcloud:index:", ""), members] as const],
  );
  const named = words.map(([name, members]) => {
    const pairs = members.flatMap((word) => (typeof word === "string" ? [] : [[word.name, word.value]]));
    return [name, Object.fromEntries(pairs) as object];
  });
  const exported = Object.entries(native).filter(([, value]) => typeof value === "object");
  expect(Object.fromEntries(exported)).toEqual(Object.fromEntries(named));
  expect(native.ForkStrategy.LastSnapshot).toBe("LAST_SNAPSHOT");
});

test("no type has the name of a resource, and no text speaks of a contract or of one language", () => {
  for (const name of Object.values(CLASS_NAMES)) expect(schema.types).not.toHaveProperty(`dbcloud:index:${name}`);
  expect(textOf("plugin/schema.json")).not.toMatch(/Contract:|In a TypeScript program|Required\./);
});

test("every reference leads to a type, every type is used, and no property is without its doc", () => {
  const used = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/types\/([^"]+)"/g)].map(([, token = ""]) => token);
  expect(sorted(new Set(used))).toEqual(Object.keys(schema.types));
  const { types, resources: kinds, functions } = schema;
  const objects = [
    ...Object.values({ ...types, ...kinds }),
    ...Object.values(functions).flatMap(({ inputs, outputs }) => [inputs, outputs]),
  ].flatMap(({ properties = {} }) => Object.entries(properties));
  expect(objects.filter(([, { description }]) => !description).map(([key]) => key)).toEqual([]);
});

function sorted(names: Iterable<string>): string[] {
  return [...names].toSorted();
}

/** The names in the lists of the reference. */
function firstCells(tables: string, cell = /^- `(\w+)`(?: \(required\))?:/gm): string[] {
  return [...tables.matchAll(cell)].map(([, name = ""]) => name);
}

function secretsOf(properties: Properties): string[] {
  return Object.keys(properties).filter((key) => properties[key]?.secret);
}

/** The form of a value, in the schema of a package or of zod, without bounds and texts. */
function formOf(node: Node | undefined): unknown {
  if (node?.$ref !== undefined) return formOf(schema.types[node.$ref.replace("#/types/", "")]);
  const choice = node?.oneOf ?? node?.anyOf;
  // A program may give a word as plain text.
  const words = choice?.find(({ $ref }) => $ref !== undefined);
  if (words !== undefined && choice?.length === 2) return formOf(words);
  if (choice !== undefined) return choice.map(formOf);
  if (node?.enum !== undefined) return node.enum.map((word) => (typeof word === "string" ? word : word.value));
  if (node?.items !== undefined) return [formOf(node.items)];
  if (node?.properties === undefined) return node?.type;
  const members = Object.entries(node.properties).map(([key, member]) => [key, formOf(member)]);
  return { members: Object.fromEntries(members) as object, required: node.required ?? [] };
}
