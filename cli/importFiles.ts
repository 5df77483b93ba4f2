// The two files of an import. Pure.
// The document for `pulumi import --file`.
// The TypeScript program declares the same, word for word: a preview after the import and a refresh shows no change of an
// input.

import { oneLine } from "../provider/domain/values/printable";
import type { Values } from "../provider/domain/values/value";
import { resources } from "../provider/kinds/index";
import { withManaged } from "../provider/core/state";
import { CLASS_NAMES, type Form, ID_NAMES, providerLine, typeOf } from "../provider/pulumi/stateNames";
import type { ImportableObject, Inventory } from "./inventory";
import type { Names } from "./names";

interface ImportedResource {
  type: string;
  name: string;
  id: string;
  inputs?: Values;
  outputs?: Values;
}

export function importDocument(
  all: readonly ImportableObject[],
  names: ReadonlyMap<ImportableObject, Names>,
  form: Form,
): { resources: ImportedResource[] } {
  return {
    resources: all.map((found) => ({
      type: typeOf(form, found.kind),
      name: names.get(found)?.logical ?? found.id,
      ...(form === "native" ? { id: wholeId(found) } : { id: found.id, ...valuesOf(found) }),
    })),
  };
}

/** The plugin reads an object by its id alone. */
function wholeId({ kind, id, scope }: ImportableObject): string {
  const { parent: inside } = resources[kind];
  const parent = inside && scope[inside.key];
  return typeof parent === "string" ? `${parent}/${id}` : id;
}

/**
 * Pulumi: an import of a dynamic resource takes what it is told: `inputs` and `outputs` that both carry `__provider`. The
 * outputs name no values but those that the first refresh needs to find the object, and no secret ever.
 */
function valuesOf({
  kind,
  scope,
  inputs,
  isProtected,
}: ImportableObject): Required<Pick<ImportedResource, "inputs" | "outputs">> {
  const line = { __provider: providerLine(kind) };
  return {
    inputs: { ...inputs, ...line },
    outputs: {
      ...scope,
      ...(isProtected ? { deletionProtection: true } : {}),
      // Which inputs the program gives: the refresh fills in these and no others.
      ...withManaged({}, Object.keys(inputs)),
      ...line,
    },
  };
}

export function importProgram(
  { found: all, projectId }: Inventory,
  names: ReadonlyMap<ImportableObject, Names>,
  form: Form,
): string {
  const classes = [...new Set(all.map(({ kind }) => CLASS_NAMES[kind]))].toSorted();
  // An input with the name that another class has for its id is such an id.
  const parents = new Map(all.map((found) => [`${ID_NAMES[found.kind]} ${found.id}`, found]));
  const [taken, source] =
    form === "native"
      ? ["After `pulumi import`", "pulumi-dbcloud/native"]
      : ["After `pulumi import` and `pulumi refresh`", "pulumi-dbcloud"];
  return [
    `// What \`pulumi-dbcloud import\` found in project ${oneLine(projectId)}. ${taken}, a preview of`,
    all.some(isProduction)
      ? "// this program shows no change but `protect`: `pulumi up` sets that on services tagged PROD."
      : "// this program shows no changes.",
    ...(all.some(({ kind }) => kind === "service") ? PASSWORDS : []),
    "",
    ...(classes.length === 0 ? ["export {};"] : [`import { ${classes.join(", ")} } from "${source}";`]),
    ...all.map((found) => {
      const { logical, variable } = names.get(found) ?? { logical: found.id, variable: "" };
      const words = Object.entries(found.inputs).map(([key, value]) => {
        const parent = parents.get(`${key} ${String(value)}`);
        const text = parent === undefined ? literal(value) : `${names.get(parent)?.variable ?? ""}.${key}`;
        return `  ${key}: ${text},`;
      });
      const declaration = `new ${CLASS_NAMES[found.kind]}(${JSON.stringify(logical)}, {`;
      return ["", `const ${variable} = ${declaration}`, ...words, "});"].join("\n");
    }),
    "",
  ].join("\n");
}

/** Pulumi's `protect` comes with the tag in a program, and with an update only. */
export function isProduction({ kind, inputs }: ImportableObject): boolean {
  return kind === "service" && inputs["environment"] === "PROD";
}

const PASSWORDS = [
  "// The API never returns a password. To use `connectionString()`, set `password`: the next `pulumi up` makes it the",
  "// service's password. `addons` are left out, because the API does not show them all.",
];

/** A plain value as TypeScript writes it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const words = Object.entries(value).map(([key, inner]) => `${key}: ${literal(inner)}`);
  return `{ ${words.join(", ")} }`;
}
