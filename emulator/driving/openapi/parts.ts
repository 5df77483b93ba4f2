// Parts of OpenAPI documents: JSON schemas generated from the schemas that check the requests.

import { z } from "zod";

export type Json = Record<string, unknown>;

/** As JSON Schema 2020-12, which OpenAPI 3.1 embeds unchanged. Describes requests before transformation. */
export function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...own } = z.toJSONSchema(schema, { io: "input" });
  return own;
}

export const jsonContent = (schema: Json): Json => ({ "application/json": { schema } });

export const requestBody = (schema: z.ZodType, isOptional: boolean): Json => ({
  required: !isOptional,
  content: jsonContent(schemaOf(schema)),
});

/** Turns `/projects/:project_id` into `/projects/{project_id}`. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

export function pathParameters(path: string): Json[] {
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
