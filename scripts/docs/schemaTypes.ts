// TypeScript types as types of a package schema. Objects and lists of words get names, which SDKs need.
import ts from "typescript";
import { type Declarations, docOf, firstPartOf, hasModifier, type Member, membersOf } from "./declarations.ts";

interface Type {
  type?: string;
  $ref?: string;
  items?: Type;
  oneOf?: Type[];
}

export interface Property extends Type {
  description?: string;
  default?: number;
  secret?: true;
  willReplaceOnChanges?: true;
}

export interface Properties {
  properties: Record<string, Property>;
  required: string[];
}

const SECRETS = new Set(["apiKey", "password", "initialPassword", "connectionUri", "poolerConnectionUri"]);

/** Every other number is a whole one, but TypeScript does not say so. */
const FRACTIONS = new Set(["memoryMb", "milliCpu", "storageMb"]);

export class SchemaTypes {
  /** The named types that have been used so far. */
  readonly named = new Map<string, object>();
  readonly #classes: Declarations;
  readonly #domain: Declarations;

  readonly #resources: ReadonlySet<string>;

  /** `resources`: their names, which no type may have. */
  constructor(classes: Declarations, domain: Declarations, resources: Iterable<string>) {
    this.#resources = new Set(resources);
    this.#classes = classes;
    this.#domain = domain;
  }

  /** The outputs that a class declares. */
  outputsOf(name: string): Properties {
    const members = membersOf(name, this.#classes).filter(ts.isPropertyDeclaration);
    return this.#propertiesOf(
      name,
      members.filter((member) => !hasModifier(member, ts.SyntaxKind.StaticKeyword)),
    );
  }

  /** The members of an interface, with what it inherits. The docs that programs see come before those of the domain. */
  objectOf(name: string): Properties {
    const named = this.#classes.get(name) ?? this.#shown(name);
    const shown = this.#classes.get(firstPartOf(named) ?? "") ?? named;
    const docs = shown === undefined ? [] : membersIn(shown).filter((member) => !ts.isGetAccessorDeclaration(member));
    return this.#propertiesOf(baseOf(name), this.#membersOf(name), docs);
  }

  /** `name` is for words that have none of their own. */
  typeOf(node: ts.TypeNode | undefined, name: string): Type {
    if (node === undefined) throw new Error(`the schema needs a type for ${name}`);
    // Which of the two it is follows from an argument, which other languages do not look at.
    if (ts.isConditionalTypeNode(node)) return this.typeOf(node.trueType, name);
    if (ts.isTypeOperatorNode(node)) return this.typeOf(node.type, name);
    if (ts.isArrayTypeNode(node)) return { type: "array", items: this.typeOf(node.elementType, name) };
    if (ts.isUnionTypeNode(node)) return this.#unionOf(node, name);
    if (ts.isTypeReferenceNode(node)) return this.#referenceOf(node, name);
    if (ts.isLiteralTypeNode(node) || node.kind === ts.SyntaxKind.StringKeyword) return { type: "string" };
    if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: "boolean" };
    if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: "integer" };
    throw new Error(`the schema has no form for ${node.getText()}`);
  }

  #unionOf({ types }: ts.UnionTypeNode, name: string, description = ""): Type {
    const isAbsent = (part: ts.TypeNode): boolean =>
      part.kind === ts.SyntaxKind.UndefinedKeyword ||
      // `string & …` beside words makes them suggestions of an editor.
      ts.isParenthesizedTypeNode(part) ||
      (ts.isLiteralTypeNode(part) && part.literal.kind === ts.SyntaxKind.NullKeyword);
    const parts = types.filter((part) => !isAbsent(part));
    const words = parts.flatMap((part) =>
      ts.isLiteralTypeNode(part) && ts.isStringLiteral(part.literal) ? [part.literal.text] : [],
    );
    if (parts.length === 1) return this.typeOf(parts[0], name);
    if (words.length < parts.length) return { oneOf: parts.map((part) => this.typeOf(part, name)) };
    const values = words.map((value) => ({
      name: capitals(isAllCapitals(value) ? value.toLowerCase() : value),
      value,
    }));
    const reference = this.#reference(name, () => ({ type: "string", ...described(description), enum: values }));
    // A program may give the word itself, and one that a newer server has.
    return { oneOf: [{ type: "string" }, reference] };
  }

  #referenceOf({ typeName, typeArguments = [] as never }: ts.TypeReferenceNode, name: string): Type {
    const [argument] = typeArguments;
    const own = typeName.getText();
    if (own === "AsyncGenerator") return { type: "array", items: this.typeOf(argument, name) };
    if (/^(?:Promise|pulumi\.(?:In|Out)put)$/.test(own)) return this.typeOf(argument, name);
    // Its words are suggestions of an editor, and any text is one.
    if (own === "Region") return { type: "string" };
    const base = baseOf(own);
    const node = this.#domain.get(base);
    if (node !== undefined && ts.isTypeAliasDeclaration(node) && ts.isUnionTypeNode(node.type)) {
      return this.#unionOf(node.type, base, docOf(node));
    }
    const description = docOf(this.#shown(base)) || docOf(node);
    const target = this.#domain.has(own) ? own : base;
    const named = this.#resources.has(base) ? `${base}Info` : base;
    return this.#reference(named, () => ({ type: "object", ...described(description), ...this.objectOf(target) }));
  }

  #reference(name: string, write: () => object): Type {
    // Written once; a type may hold another one.
    if (!this.named.has(name)) this.named.set(name, write());
    return { $ref: `#/types/dbcloud:index:${name}` };
  }

  /** What programs see of a type of the domain. */
  #shown(name: string): ReturnType<Declarations["get"]> {
    return this.#classes.get(baseOf(name)) ?? this.#classes.get(`${baseOf(name)}Args`);
  }

  #membersOf(name: string): Member[] {
    const node = this.#domain.get(name) ?? this.#classes.get(name);
    if (node === undefined) throw new Error(`the schema names ${name}, which the sources do not have`);
    if (!ts.isTypeAliasDeclaration(node)) return [...membersIn(node), ...this.#inheritedBy(node)];
    if (!ts.isTypeReferenceNode(node.type)) throw new Error(`the schema has no form for ${node.getText()}`);
    const { typeName, typeArguments: [of, key] = [] } = node.type;
    if (typeName.getText() === "Record") return [];
    if (typeName.getText() !== "Omit") return this.#membersOf(typeName.getText());
    return this.#membersOf(of?.getText() ?? "").filter((member) => JSON.stringify(nameOf(member)) !== key?.getText());
  }

  #inheritedBy(node: ts.Node): Member[] {
    if (!ts.isInterfaceDeclaration(node)) return [];
    const parents = (node.heritageClauses ?? []).flatMap(({ types }) => [...types]);
    return parents.flatMap(({ expression }) => this.#membersOf(expression.getText()));
  }

  #propertiesOf(owner: string, members: readonly Member[], docs: readonly Member[] = []): Properties {
    const result: Properties = { properties: {}, required: [] };
    for (const member of members) {
      if (!ts.isPropertySignature(member) && !ts.isPropertyDeclaration(member)) continue;
      const name = nameOf(member);
      // What a look-up alone has, which reads no password.
      const isFound = ts.isInterfaceDeclaration(member.parent) && /^Get\w+Result$/.test(member.parent.name.text);
      const type = this.typeOf(member.type, `${owner}${capitals(name)}`);
      result.properties[name] = {
        ...(FRACTIONS.has(name) ? { type: "number" } : type),
        ...described((!isFound && docOf(docs.find((other) => nameOf(other) === name))) || docOf(member)),
        ...(SECRETS.has(name) && !isFound ? { secret: true } : {}),
      };
      const isOptional = member.questionToken !== undefined || /\| undefined\b/.test(member.type?.getText() ?? "");
      if (!isOptional) result.required.push(name);
    }
    return result;
  }
}

function membersIn(node: ts.Node): Member[] {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) ? [...node.members] : [];
}

function nameOf(member: Member): string {
  return member.name?.getText() ?? "";
}

function described(text: string): { description?: string } {
  const plain = inEveryLanguage(text);
  return plain === "" ? {} : { description: plain };
}

/** Without what readers of another language, or of no contract, cannot use. What is required stands beside a property. */
export function inEveryLanguage(text: string): string {
  return text
    .replace(/ ?\bContract: .*$/, "")
    .replace(" Required.", "")
    .replace(/ In a TypeScript program, .*?\.(?= |$)/, "")
    .replace(/all in TypeScript, (.*) in other languages/, "$1");
}

function isAllCapitals(text: string): boolean {
  return text === text.toUpperCase();
}

/** Inputs and results of a function are of the same object: `HaReplicasArgs` of `HaReplicas`, `GetServiceResult` of `Service`. */
function baseOf(name: string): string {
  return name.replace(/^Get(\w+)Result$|^(\w+)Args$/, "$1$2");
}

/** "time-series" is `TimeSeries`. */
function capitals(text: string): string {
  return text.replaceAll(/(?:^|[-_])([^\W_])/g, (_, letter: string) => letter.toUpperCase());
}
