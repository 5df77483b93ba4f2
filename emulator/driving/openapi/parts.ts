// Parts of OpenAPI documents: JSON schemas generated from the schemas that check the requests.

import { z } from "zod";

export type Json = Record<string, unknown>;

/** As JSON Schema 2020-12, which OpenAPI 3.1 embeds unchanged. Describes requests before transformation. */
export function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...own } = z.toJSONSchema(schema, { io: "input" });
  return own;
}

export const jsonContent = (schema: Json): Json => ({ "application/json": { schema } });

interface DescribedOperation {
  readonly path: string;
  /** A zod schema, which the type of an action does not name. */
  readonly body: object | undefined;
  readonly isBodyOptional: boolean;
  readonly query: object | undefined;
}

/** What the documents say of an operation besides `own`: its parameters and its request. */
export function operationItem({ path, body, isBodyOptional, query }: DescribedOperation, own: Json): Json {
  const parameters = [...pathParameters(path), ...(query ? queryParameters(query as z.ZodType) : [])];
  return {
    ...own,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: !isBodyOptional, content: jsonContent(schemaOf(body as z.ZodType)) } }),
  };
}

/** Turns `/projects/:project_id` into `/projects/{project_id}`. */
const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

/** Query parameters from the shape of a parsed query, by the name of each parameter. */
export function queryParameters(query: z.ZodType): Json[] {
  const { properties = {}, required = [] } = schemaOf(query) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

/** All operations by path and method. */
export function pathsOf(operations: readonly { path: string; method: string; item: Json }[]): Json {
  const paths: Record<string, Json> = {};
  for (const { path, method, item } of operations) {
    (paths[templateOf(path)] ??= {})[method.toLowerCase()] = item;
  }
  return paths;
}

export const bearerScheme: Json = { type: "http", scheme: "bearer" };
