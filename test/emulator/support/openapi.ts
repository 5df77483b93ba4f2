// An OpenAPI document as tests walk it.

export type Json = Record<string, unknown>;

export interface OpenApiOperation {
  operationId: string;
  "x-offer"?: string;
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  responses?: Record<string, Json>;
  security?: unknown[];
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
