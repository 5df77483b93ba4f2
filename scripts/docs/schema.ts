// Generates the schema of the plugin's package, which SDKs of all languages are made from: the types and doc comments of
// the classes and functions, with what the tables of inputs and of settings say.
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import type { Field } from "../../provider/domain/fields.ts";
import type { Kind } from "../../provider/domain/kinds.ts";
import { addressesOf, type Described } from "../release/addresses.ts";
import { docOf, layerDeclarations, lookUpsIn, publicDeclarations } from "./declarations.ts";
import { describeExample, examples, programsOf } from "./examples.ts";
import { kinds } from "./reference.ts";
import { inEveryLanguage, type Properties, SchemaTypes } from "./schemaTypes.ts";

/** What the sources have as values. */
interface Tables {
  resources: Readonly<Record<Kind, { readonly fields: Readonly<Record<string, Field>> }>>;
  configKeys: Readonly<Record<string, { readonly allowed: string }>>;
  environmentName: (setting: string) => string;
  /** The output of each kind that repeats the id. */
  ids: Readonly<Record<Kind, string>>;
  /** The member of a function's result that holds its list. */
  lists: Readonly<Record<string, string | undefined>>;
}

/** The settings that are not texts, by what they allow. */
const settingTypes: Readonly<Record<string, string>> = {
  "true or false": "boolean",
  "a number above 0": "number",
  "a whole number, at least 1": "integer",
};

/** What the generators of SDKs need. The version is also the one of the plugin that an SDK asks for. */
const languages = {
  // The name that programs import the classes from; `pulumi import` writes it.
  nodejs: { packageName: "pulumi-dbcloud/native", respectSchemaVersion: true },
  python: {
    packageName: "pulumi_dbcloud",
    pyproject: { enabled: true },
    pythonRequires: ">=3.10",
    respectSchemaVersion: true,
  },
  go: { generateResourceContainerTypes: true, respectSchemaVersion: true },
};

/** The text of `plugin/schema.json` for the present sources. */
export function writeSchema(root: string, { resources, configKeys, environmentName, ids, lists }: Tables): string {
  const manifest = readFileSync(path.join(root, "package.json"), "utf8");
  const about = JSON.parse(manifest) as Record<string, unknown> & Described;
  const addresses = addressesOf(about);
  // Go finds a module in its repository. Without one, the name is for a `replace` in `go.mod`.
  const goModule = `${addresses?.repository.slice("https://".length) ?? "dbcloud"}/sdk/go/dbcloud`;
  const classes = publicDeclarations(root);
  const titles = Object.values(kinds).map(({ title }) => title);
  const types = new SchemaTypes(classes, layerDeclarations(root, "domain", "inputs"), titles);

  const resourceOf = (kind: Kind): object => {
    const { title } = kinds[kind];
    const inputs = types.objectOf(`${title}Args`);
    for (const [name, property] of Object.entries(inputs.properties)) {
      // Not `replaceOnChanges`, with which the engine replaces whatever `diff` says: also a read replica set whose service
      // is being adopted.
      if (resources[kind].fields[name]?.change === "replaces") property.willReplaceOnChanges = true;
    }
    const idName = ids[kind];
    const outputs = types.outputsOf(title);
    outputs.properties[idName] = { type: "string", description: "The same as `id`." };
    outputs.required.push(idName);
    return {
      description: `${inEveryLanguage(docOf(classes.get(title)))}\n\n${describeExample(examples[kind], goModule)}`,
      ...outputs,
      inputProperties: inputs.properties,
      requiredInputs: inputs.required,
      // What `get` needs besides the id.
      stateInputs: { type: "object", ...types.objectOf(`${title}State`) },
      aliases: [{ type: `pulumi-nodejs:dynamic/dbcloud:${title}` }],
    };
  };

  const functionOf = (name: string, { type, parameters: [args] }: ts.FunctionDeclaration, doc: string): object => {
    const list = lists[name];
    const result = type !== undefined && ts.isTypeReferenceNode(type) ? type.typeArguments?.[0] : undefined;
    return {
      description: inEveryLanguage(doc),
      inputs: withDefaults(types.objectOf(args?.type?.getText() ?? "")),
      outputs:
        list === undefined
          ? types.objectOf(result?.getText() ?? "")
          : {
              properties: { [list]: { ...types.typeOf(type, name), description: listDoc(doc) } },
              required: [list],
            },
    };
  };

  const settings = Object.entries(types.objectOf("ProviderArgs").properties).map(([name, { description, secret }]) => {
    const type = settingTypes[configKeys[name]?.allowed ?? ""] ?? "string";
    return [name, { type, description, secret }] as const;
  });

  // Not for the arguments of a provider: an SDK would write the key of one day into the state, and a later refresh would
  // use it.
  const variables = settings.map(([name, type]) => {
    return [name, { ...type, defaultInfo: { environment: [environmentName(name)] } }] as const;
  });

  const schema = {
    name: "dbcloud",
    displayName: "DbCloud",
    version: about["version"],
    description: about["description"],
    // Pulumi: the registry files a package by the words with a slash.
    keywords: [...(about["keywords"] as string[]), "category/database", "kind/native"],
    homepage: addresses?.homepage,
    repository: addresses?.repository,
    license: about["license"],
    publisher: "DbCloud",
    language: {
      ...languages,
      python: {
        ...languages.python,
        readme: pythonReadme(about, programsOf(examples.service, goModule)["python"] ?? ""),
      },
      go: { ...languages.go, importBasePath: goModule },
    },
    config: { variables: Object.fromEntries(variables) },
    provider: { description: docOf(classes.get("Provider")), inputProperties: Object.fromEntries(settings) },
    resources: byToken((Object.keys(kinds) as Kind[]).map((kind) => [kinds[kind].title, resourceOf(kind)])),
    functions: byToken(lookUpsIn(classes).map(([name, node]) => [name, functionOf(name, node, docOf(node))])),
    types: byToken([...types.named].map(([name, type]) => [name, type])),
  };
  return `${JSON.stringify(withNames(schema, "", []), undefined, 2)}\n`;
}

interface Names {
  place: string;
  names: object;
}

/** The members of a schema that hold properties, which texts can refer to. */
const PROPERTIES = ["inputProperties", "properties"];

/**
 * Refers to each property by its place, the nearest one of its name. Pulumi: a generator writes the name of a reference as its
 * language has it. What is not known nearby, like an input that a setting names, is one of the resources'.
 */
function withNames(node: unknown, place: string, known: readonly Names[]): unknown {
  if (typeof node !== "object" || node === null || Array.isArray(node)) return node;
  const members = Object.entries(node);
  const own = members.flatMap(([key, names]: [string, object]) =>
    PROPERTIES.includes(key) && /^\/(?:resources|functions|types)\//.test(place)
      ? [{ place: `${place}/${key}`, names }]
      : [],
  );
  const { resources = {} } = node as { resources?: object };
  const ofResources = Object.entries(resources).flatMap(([token, resource]: [string, Record<string, object>]) =>
    PROPERTIES.map((key) => ({ place: `/resources/${token}/${key}`, names: resource[key] ?? {} })),
  );
  const all = [...own, ...known, ...ofResources];
  return Object.fromEntries(
    members.map(([key, value]: [string, unknown]) => [
      key,
      key === "description" && typeof value === "string"
        ? namesIn(value, all)
        : withNames(value, `${place}/${key}`, all),
    ]),
  );
}

/** Examples are programs already. */
function namesIn(text: string, known: readonly Names[]): string {
  const [prose = "", ...programs] = text.split("\n\n{{% examples %}}");
  const named = prose.replaceAll(/`([a-z]+[A-Z]\w*)(?:: ([^`]+))?`/g, (word, name: string, value?: string) => {
    const found = known.find(({ names }) => Object.hasOwn(names, name));
    if (found === undefined) return word;
    return `{{% ref #${found.place}/${name} %}}${value === undefined ? "" : `: \`${value}\``}`;
  });
  return [named, ...programs].join("\n\n{{% examples %}}");
}

/** What the index of packages, and the folder of the sources, show first. */
function pythonReadme(about: Record<string, unknown> & Described, program: string): string {
  const { node = "" } = about["engines"] as Record<string, string | undefined>;
  const { version } = about;
  const more = addressesOf(about)?.homepage;
  return `# pulumi-dbcloud for Python

For Python programs that manage PostgreSQL services, VPCs, peerings, and read replica sets of the Managed Database Cloud Control API (v1) with Pulumi.

## Install

You need the Pulumi CLI, Python ${languages.python.pythonRequires.slice(2)} or newer, and Node.js ${node.slice(2).replace(/\.0$/, "")} or newer on \`PATH\`, because the provider is a plugin that runs on Node.js. A release has this package and the plugin for each platform:

\`\`\`sh
pip install pulumi_dbcloud-${version}-py3-none-any.whl
pulumi plugin install resource dbcloud ${version} --file pulumi-resource-dbcloud-v${version}-linux-amd64.tar.gz
pulumi config set --secret dbcloud:apiKey
\`\`\`

## Use

\`\`\`python
${program}\`\`\`
${more === undefined ? "" : `\nMore: ${more}\n`}`;
}

/** "Lists the VPCs of a project." is said of the function, "The VPCs of a project." of its result. */
function listDoc(doc: string): string {
  return inEveryLanguage(doc).replace(/^Lists the /, "The ");
}

/**
 * The number that a function takes without the argument. Not for inputs of resources: an SDK would write a default into
 * the state, so that its upgrade, and a move from or to TypeScript, would show a difference for every resource.
 */
function withDefaults(types: Properties): Properties {
  for (const property of Object.values(types.properties)) {
    const [, number] = /Default: (\d[\d,]*)\.$/.exec(property.description ?? "") ?? [];
    if (number !== undefined) property.default = Number(number.replaceAll(",", ""));
  }
  return types;
}

function byToken(entries: readonly (readonly [string, object])[]): Record<string, object> {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, spec]) => [`dbcloud:index:${name}`, spec]));
}
