// A server in front of another one that holds every request and every answer against the OpenAPI document which the
// other serves, and writes down what does not fit. Objects of answers are closed here: a field that the document lacks is
// a finding, although clients must expect such fields.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import {
  answerSchema,
  documentAt,
  operationsOf,
  requestSchema,
  resolved,
  type Json,
  type OpenApiDocument,
  type OpenApiOperation,
} from "./openapi";

export interface ValidatingProxy {
  baseUrl: string;
  findings: string[];
  /** How many requests were held against an operation of the document. */
  checked(): number;
  close(): Promise<void>;
}

interface Checked {
  name: string;
  pattern: RegExp;
  method: string;
  operation: OpenApiOperation;
  body: z.ZodType | undefined;
  query: Map<string, z.ZodType>;
  answers: Map<string, z.ZodType | undefined>;
}

export async function startValidatingProxy(baseUrl: string, documentUrl: string): Promise<ValidatingProxy> {
  const document = await documentAt(documentUrl);
  const rows = [...operationsOf(document)].map(([name, operation]) => checkedOf(document, name, operation));
  const findings: string[] = [];
  let checked = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await textOf(request);
      const [path = "", query = ""] = (request.url ?? "").split("?");
      const row = rows.find(({ method, pattern }) => method === request.method && pattern.test(path));
      const answer = await fetch(`${baseUrl}${request.url ?? ""}`, {
        method: request.method ?? "GET",
        headers: headersOf(request),
        ...(body === "" ? {} : { body }),
      });
      const text = await answer.text();
      if (!row) findings.push(`${request.method} ${path}: not in the document`);
      else {
        checked += 1;
        const isServed = answer.status < 400;
        if (isServed) findings.push(...requestFindings(row, body, query));
        findings.push(...answerFindings(row, answer.status, text));
      }
      response.writeHead(answer.status, { "Content-Type": answer.headers.get("content-type") ?? "text/plain" });
      response.end(text);
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    findings,
    checked: () => checked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function checkedOf(document: OpenApiDocument, name: string, operation: OpenApiOperation): Checked {
  const [method = "", template = ""] = name.split(" ");
  const body = requestSchema(document, operation);
  const parameters = operation.parameters?.filter((parameter) => parameter.in === "query") ?? [];
  return {
    name,
    method,
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    operation,
    body: body && z.fromJSONSchema(body),
    query: new Map(parameters.map((one) => [one.name, z.fromJSONSchema(resolved(document, one.schema))])),
    answers: new Map(
      Object.keys(operation.responses).map((status) => {
        const schema = answerSchema(document, operation, status);
        return [status, schema && z.fromJSONSchema(closed(schema) as Json)];
      }),
    ),
  };
}

/** Every object takes only what it names, unless it says what else it takes. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const own = Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, closed(member)]));
  return "properties" in own && !("additionalProperties" in own) ? { ...own, additionalProperties: false } : own;
}

function requestFindings({ name, body, query, operation }: Checked, text: string, search: string): string[] {
  const sent = new URLSearchParams(search);
  const unknown = [...sent.keys()].filter((key) => !query.has(key)).map((key) => `${name}: query ${key} is unknown`);
  const wrong = [...query].flatMap(([key, schema]) => {
    const values = sent.getAll(key);
    if (values.length === 0) return [];
    const isFine = schema.safeParse(values).success || schema.safeParse(values[0]).success;
    return isFine ? [] : [`${name}: query ${key} does not fit`];
  });
  if (!body) return [...unknown, ...wrong, ...(text === "" ? [] : [`${name}: takes no body`])];
  if (text === "") return operation.requestBody?.required === true ? [`${name}: body is missing`] : [];
  return [...unknown, ...wrong, ...misfits(name, "request", body, JSON.parse(text))];
}

function answerFindings({ name, answers }: Checked, status: number, text: string): string[] {
  const key = String(status);
  if (status < 400 && !answers.has(key)) return [`${name}: status ${key} is not in the document`];
  const schema = answers.has(key) ? answers.get(key) : answers.get("default");
  if (!schema) return text === "" ? [] : [`${name}: ${key} has a body`];
  return misfits(name, key, schema, JSON.parse(text));
}

function misfits(name: string, what: string, schema: z.ZodType, value: unknown): string[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.map(({ path, message }) => `${name}: ${what}: ${path.map(String).join(".")}: ${message}`);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { authorization = "", "content-type": contentType } = headers;
  return { authorization, ...(contentType !== undefined && { "content-type": contentType }) };
}
