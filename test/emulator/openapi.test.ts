// The OpenAPI document of the control plane: it says of requests what the table of the contract says, no more and no less.

import { isDeepStrictEqual } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createEmulator, type Profile } from "../../emulator/index";
import { contract, documented, type Row } from "../contract/operations";
import { documentAt, operationsOf, requestSchema, type Json, type OpenApiOperation } from "./support/openapi";

interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  anyOf?: Json[];
  items?: Json;
  properties?: Record<string, Json>;
  required?: string[];
}

async function openDocument(profile: Profile = "full") {
  const emulator = await createEmulator({ profile });
  onTestFinished(() => emulator.close());
  return { emulator, document: await documentAt(`${emulator.adminUrl}/control-plane/openapi.json`) };
}

test("the document has every operation of the contract with its fields, and nothing else", async () => {
  const { document, emulator } = await openDocument();
  expect([document.openapi, document.servers]).toEqual(["3.1.0", [{ url: emulator.baseUrl }]]);
  const operations = operationsOf(document);
  const described = [...operations].map(([route, operation]) => [route, requestOf(operation)] as const);
  const wanted = contract.map((row) => [row.route, wantedOf(row)] as const);
  expect(Object.fromEntries(described)).toEqual(Object.fromEntries(wanted));
  for (const { route, sends } of contract) {
    const schema = requestSchema(operations.get(route) ?? { operationId: "" });
    const fits = sends === undefined || z.fromJSONSchema(schema ?? {}).safeParse(sends).success;
    expect([route, fits]).toEqual([route, true]);
  }
  const offered = [...operations].filter(([, operation]) => operation["x-offer"] === "contract");
  expect(offered.map(([route]) => route).toSorted()).toEqual(documented.map(({ route }) => route).toSorted());
});

test.each<[Profile, number]>([
  ["documented", documented.length],
  ["full", contract.length],
])("profile %s describes the operations that it offers", async (profile, count) => {
  const { document } = await openDocument(profile);
  expect(operationsOf(document).size).toBe(count);
});

/** What a row of the contract sends, in the words of its table. */
const wantedOf = ({ route, body, query = {} }: Row) => ({
  path: route.match(/(?<=\{)\w+(?=\})/g) ?? [],
  query,
  body: body && { fields: body },
  isBodyRequired: body && true,
});

/** The same of an operation of the document. */
function requestOf(operation: OpenApiOperation) {
  const parameters = (place: string) => (operation.parameters ?? []).filter((one) => one.in === place);
  const request = requestSchema(operation);
  return {
    path: parameters("path").map(({ name }) => name),
    query: Object.fromEntries(
      parameters("query").map(({ name, required, schema }) => [required ? name : `${name}?`, typeOf(schema, true)]),
    ),
    body: request && typeOf(request),
    isBodyRequired: operation.requestBody?.required,
  };
}

/** A schema in the words of the contract's table; a number in a query is written in digits. */
function typeOf(schema: Json, isQuery = false): unknown {
  const { type, format, pattern, anyOf, items, properties, required = [] } = schema as Schema;
  const choices = anyOf?.map((one) => typeOf(one, isQuery));
  if (choices) return choices.every((one) => isDeepStrictEqual(one, choices[0])) ? choices[0] : choices;
  if (schema["enum"]) return { oneOf: schema["enum"] };
  if (items) return { list: typeOf(items) };
  if (properties) {
    const keyOf = (name: string): string => (required.includes(name) ? name : `${name}?`);
    return { fields: Object.fromEntries(Object.entries(properties).map(([name, one]) => [keyOf(name), typeOf(one)])) };
  }
  if (type === "integer" || (isQuery && pattern === "^[0-9]+$")) return "number";
  return format === "date-time" ? format : type;
}

test("the documents say which operations need no key, and what is answered", async () => {
  const { document, emulator } = await openDocument();
  const resize = operationsOf(document).get("POST /projects/{project_id}/services/{service_id}/resize");
  expect(Object.keys(resize?.responses ?? {})).toEqual(["202", "503", "507", "4XX"]);
  const admin = operationsOf(await documentAt(`${emulator.adminUrl}/openapi.json`));
  const open = [...admin].filter(([, { security }]) => security?.length === 0).map(([route]) => route);
  expect(open).toEqual(["GET /openapi.json", "GET /control-plane/openapi.json"]);
});
