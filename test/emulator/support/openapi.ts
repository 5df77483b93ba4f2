// An OpenAPI document as tests walk it, and which request does not fit it.

import { z } from "zod";

export type Json = Record<string, unknown>;

export interface OpenApiOperation {
  operationId: string;
  "x-offer"?: string;
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
}

export interface OpenApiDocument {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
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

export const requestSchema = ({ requestBody }: OpenApiOperation): Json | undefined =>
  requestBody?.content["application/json"]?.schema;

export interface Asked {
  route: string;
  sent: unknown;
  asked: URLSearchParams;
}

/** What of a request does not fit the document. */
export function misfitsOf(document: OpenApiDocument, { route, sent, asked }: Asked): string[] {
  const operation = operationsOf(document).get(route);
  if (operation === undefined) return [`${route}: not in the document`];
  const isLeftOut = sent === undefined && operation.requestBody?.required !== true;
  const query = new Map(operation.parameters?.map((one) => [one.name, one.schema]));
  return [
    ...(isLeftOut ? [] : misfits(`${route}: request`, requestSchema(operation), sent)),
    ...[...asked.keys()].flatMap((name) => {
      const [schema, values] = [query.get(name), asked.getAll(name)];
      if (schema === undefined) return [`${route}: query ${name} is unknown`];
      const fits = [values, values[0]].some((value) => z.fromJSONSchema(schema).safeParse(value).success);
      return fits ? [] : [`${route}: query ${name} does not fit`];
    }),
  ];
}

function misfits(what: string, schema: Json | undefined, value: unknown): string[] {
  if (schema === undefined) return value === undefined ? [] : [`${what}: there is a body`];
  const issues = z.fromJSONSchema(schema).safeParse(value).error?.issues ?? [];
  return issues.map(({ path }) => `${what}: ${path.map(String).join(".")}`);
}
