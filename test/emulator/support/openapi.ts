// An OpenAPI document as tests walk it, with references followed.

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

/** The answers of success. */
export const successesOf = ({ responses }: OpenApiOperation): string[] =>
  Object.keys(responses).filter((status) => status !== "default");
