// The OpenAPI document of the admin API, generated from the table that serves it.

import {
  bearerScheme,
  jsonContent,
  operationItem,
  pathsOf,
  queryParameters,
  schemaOf,
  type Json,
} from "../openapi/parts";
import type { AdminOperation } from "./operation";
import { recordsQuery } from "./operations";
import { requestRecord } from "./shapes";

const error: Json = {
  description: "refused: nothing has changed",
  content: jsonContent({
    type: "object",
    properties: { code: { type: "string" }, message: { type: "string" } },
    required: ["code", "message"],
  }),
};

export function adminDocument(adminUrl: string, operations: Readonly<Record<string, AdminOperation>>): Json {
  const items = Object.entries(operations).map(([name, one]) => ({ ...one, item: itemOf(name, one) }));
  return {
    openapi: "3.1.0",
    info: {
      title: "Admin API of the emulator",
      version: "v1",
      description:
        "Looks at the emulator and changes it out of band, as somebody does in the vendor's console. Only on this machine, " +
        "with a key of its own, and not for web pages of other origins.",
    },
    servers: [{ url: adminUrl }],
    security: [{ adminKey: [] }],
    paths: { ...pathsOf(items), ...streamPath, ...documentPaths },
    components: { securitySchemes: { adminKey: bearerScheme } },
  };
}

function itemOf(operationId: string, operation: AdminOperation): Json {
  const { summary, status, answer } = operation;
  const done = { description: "done", ...(answer && { content: jsonContent(schemaOf(answer)) }) };
  return operationItem(operation, { operationId, summary, responses: { [String(status)]: done, default: error } });
}

const streamPath: Json = {
  "/requests/stream": {
    get: {
      operationId: "streamRequests",
      summary: "each request once its answer is out, one JSON document per line, until either side ends it",
      parameters: queryParameters(recordsQuery),
      responses: {
        "200": {
          description: "lines of JSON",
          content: { "application/x-ndjson": { schema: schemaOf(requestRecord) } },
        },
        default: error,
      },
    },
  },
};

const documentOf = (operationId: string, summary: string): Json => ({
  get: {
    operationId,
    summary,
    security: [],
    responses: { "200": { description: "an OpenAPI 3.1 document", content: jsonContent({ type: "object" }) } },
  },
});

const documentPaths: Json = {
  "/openapi.json": documentOf("getAdminDocument", "this document"),
  "/control-plane/openapi.json": documentOf("getControlPlaneDocument", "the document of the control plane"),
};
