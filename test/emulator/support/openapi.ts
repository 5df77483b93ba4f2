// An OpenAPI document as tests walk it, with references followed, and what does not fit it in an exchange by HTTP.

import { z } from "zod";
import { type Exchange } from "../../contract/walk";

export type Json = Record<string, unknown>;

export interface OpenApiOperation {
  operationId: string;
  "x-offer"?: string;
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

export interface OpenApiDocument {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas?: Record<string, Json> };
}

export async function documentAt(url: string): Promise<OpenApiDocument> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as OpenApiDocument;
}

/** Every operation by method and path, as the contract writes them. */
export function operationsOf({ paths }: OpenApiDocument): Map<string, OpenApiOperation> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  return new Map(all);
}

/** A schema with everything that it refers to in its place. */
export function resolved(document: OpenApiDocument, schema: Json): Json {
  const follow = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(follow);
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as Json;
    if (typeof $ref !== "string")
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, follow(member)]));
    const named = document.components.schemas?.[$ref.replace("#/components/schemas/", "")];
    if (named === undefined) throw new Error(`${$ref} leads nowhere`);
    return follow(named);
  };
  return follow(schema) as Json;
}

export function requestSchema(document: OpenApiDocument, operation: OpenApiOperation): Json | undefined {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return schema && resolved(document, schema);
}

export function answerSchema(document: OpenApiDocument, operation: OpenApiOperation, status: string): Json | undefined {
  const schema = operation.responses[status]?.content?.["application/json"]?.schema;
  return schema && resolved(document, schema);
}

/**
 * What of an exchange does not fit the document. Objects of answers are closed here: a field that the document lacks is a
 * misfit, although clients must expect such fields.
 */
export function misfitsOf(
  document: OpenApiDocument,
  exchange: Omit<Exchange, "row"> & { row: { route: string } },
): string[] {
  const { row, status, sent, asked, received } = exchange;
  const operation = operationsOf(document).get(row.route);
  if (operation === undefined) return [`${row.route}: not in the document`];
  const key = operation.responses[status] ? String(status) : "default";
  if (key === "default" && status < 400) return [`${row.route}: status ${status} is not in the document`];
  const answer = answerSchema(document, operation, key);
  const answered = misfits(`${row.route}: ${status}`, answer && (closed(answer) as Json), received);
  if (status >= 400) return answered;
  const body = requestSchema(document, operation);
  const isLeftOut = sent === undefined && operation.requestBody?.required !== true;
  const query = new Map(operation.parameters?.map((one) => [one.name, resolved(document, one.schema)]));
  return [
    ...answered,
    ...(isLeftOut ? [] : misfits(`${row.route}: request`, body, sent)),
    ...[...asked.keys()].flatMap((name) => {
      const [schema, values] = [query.get(name), asked.getAll(name)];
      if (schema === undefined) return [`${row.route}: query ${name} is unknown`];
      const fits = [values, values[0]].some((value) => z.fromJSONSchema(schema).safeParse(value).success);
      return fits ? [] : [`${row.route}: query ${name} does not fit`];
    }),
  ];
}

function misfits(what: string, schema: Json | undefined, value: unknown): string[] {
  if (schema === undefined) return value === undefined ? [] : [`${what}: there is a body`];
  const issues = z.fromJSONSchema(schema).safeParse(value).error?.issues ?? [];
  return issues.map(({ path }) => `${what}: ${path.map(String).join(".")}`);
}

/** Every object takes only what it names, unless it says what else it takes. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const own = Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, closed(member)]));
  return "properties" in own && !("additionalProperties" in own) ? { ...own, additionalProperties: false } : own;
}
