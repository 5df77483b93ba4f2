// OpenAPI documents of both APIs, generated from the tables that route and check their requests. Of the answers they
// describe the statuses, and the body of a refusal.

import { z } from "zod";
import type { Operation } from "../controlPlane/actions/action";

export type Json = Record<string, unknown>;

/** `details`: what else the document says of an operation, by its name. */
export function openApiDocument<O extends Operation>(
  about: { title: string; description: string; url: string },
  operations: Readonly<Record<string, O>>,
  details: (operation: O) => Json,
): Json {
  const paths: Record<string, Json> = {};
  for (const [operationId, operation] of Object.entries(operations)) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    const described = {
      operationId,
      ...details(operation),
      ...requestOf(operation),
      responses: responsesOf(operation),
    };
    (paths[path] ??= {})[operation.method.toLowerCase()] = described;
  }
  return {
    openapi: "3.1.0",
    info: { title: about.title, version: "v1", description: about.description },
    servers: [{ url: about.url }],
    security: [{ key: [] }],
    paths,
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } }, responses: { refusal } },
  };
}

function requestOf({ path, body, isBodyOptional, query }: Operation): Json {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => parameter(name, "path", true, { type: "string" }));
  const parameters = [...inPath, ...(query ? queryParameters(query) : [])];
  const content = body && { "application/json": { schema: schemaOf(body) } };
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: !isBodyOptional, content } }),
  };
}

const text = { type: "string" };
const refusal: Json = {
  description: "A refusal: nothing has changed.",
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { code: text, message: text, details: text },
        required: ["code", "message"],
      },
    },
  },
};

/** 507: the change could not be stored. 503: the servers behind a service could not do it. */
const refusals = Object.fromEntries(
  ["4XX", "503", "507"].map((status) => [status, { $ref: "#/components/responses/refusal" }]),
);

function responsesOf({ statuses }: Operation): Json {
  const content = { "application/json": {} };
  const successes = statuses.map((status) => [
    status,
    { description: "Done, or begun.", ...(status !== 204 && { content }) },
  ]);
  return { ...(Object.fromEntries(successes) as Json), ...refusals };
}

const parameter = (name: string | undefined, place: string, required: boolean, schema: Json): Json => ({
  name,
  in: place,
  required,
  schema,
});

function queryParameters(query: object): Json[] {
  const { properties = {}, required = [] } = schemaOf(query) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => parameter(name, "query", required.includes(name), schema));
}

/** As JSON Schema 2020-12, which OpenAPI 3.1 embeds unchanged. Describes requests before transformation. */
function schemaOf(schema: object): Json {
  const { $schema: _, ...own } = z.toJSONSchema(schema as z.ZodType, { io: "input" });
  return own;
}
