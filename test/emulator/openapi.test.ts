// The OpenAPI document of the control plane: it says of requests what the table of the contract says, no more and no less.

import { expect, onTestFinished, test } from "vitest";
import { createEmulator, publicOperations, type Profile } from "../../emulator/index";
import { contract, documented, rowNamed, type Row } from "../contract/operations";
import type { Shape, Type } from "../contract/shapes";
import { documentAt, misfitsOf, operationsOf, requestSchema, type Json, type OpenApiDocument } from "./support/openapi";

async function openDocument(profile: Profile = "full") {
  const emulator = await createEmulator({ profile });
  onTestFinished(() => emulator.close());
  return { emulator, document: await documentAt(`${emulator.adminUrl}/control-plane/openapi.json`) };
}

test("the document has every operation of the contract with its fields, and nothing else", async () => {
  const { document, emulator } = await openDocument();
  expect([document.openapi, document.servers]).toEqual(["3.1.0", [{ url: emulator.baseUrl }]]);
  const operations = operationsOf(document);
  expect([...operations.keys()].toSorted()).toEqual(contract.map(({ route }) => route).toSorted());
  expect(contract.flatMap((row) => differencesOf(document, row))).toEqual([]);
  const offered = [...operations].filter(([, operation]) => operation["x-offer"] === "contract");
  expect(offered.map(([route]) => route).toSorted()).toEqual(documented.map(({ route }) => route).toSorted());
});

test.each<[what: string, name: string, change: Partial<Row>]>([
  ["an optional field", "createVpc", { body: { cidr: "string", name: "string", "region_code?": "string" } }],
  ["a missing field", "renameVpc", { body: { name: "string", more: "string" } }],
  ["another enum", "setEnvironment", { body: { environment: { oneOf: ["DEV"] } } }],
  ["another type", "resize", { body: { cpu_millis: "number", memory_gbs: "string" } }],
  ["another type in the query", "getLogs", { query: { ...rowNamed("getLogs").query, "search?": "string" } }],
])("the comparison detects %s", async (_, name, change) => {
  const { document } = await openDocument();
  expect(differencesOf(document, { ...rowNamed(name), ...change })).toHaveLength(1);
});

test.each<[Profile, number]>([
  ["documented", documented.length],
  ["full", contract.length],
  ["public", contract.length + publicOperations.length],
])("profile %s describes the operations that it offers", async (profile, count) => {
  const { document } = await openDocument(profile);
  expect(operationsOf(document).size).toBe(count);
});

test("a request that does not fit the document is detected", async () => {
  const { document } = await openDocument();
  const password = "POST /projects/{project_id}/services/{service_id}/updatePassword";
  const get = "GET /projects/{project_id}/vpcs/{vpc_id}";
  const found = (route: string, sent: unknown, query = "") =>
    misfitsOf(document, { route, sent, asked: new URLSearchParams(query) }).length;
  expect([found(password, { password: "fine" }), found(get, undefined)]).toEqual([0, 0]);
  expect([
    found(password, { password: 7 }),
    found(password, undefined),
    found(get, {}),
    found(get, undefined, "a=1"),
    found("GET /nowhere", undefined),
  ]).toEqual([1, 1, 1, 1, 1]);
});

function differencesOf(document: OpenApiDocument, { route: name, body, query }: Row): string[] {
  const operation = operationsOf(document).get(name);
  if (operation === undefined) return [`${name}: not there`];
  const request = requestSchema(operation);
  const parameters = (operation.parameters ?? []).filter((one) => one.in === "query");
  const asked = {
    properties: Object.fromEntries(parameters.map((one) => [one.name, one.schema])),
    required: parameters.filter((one) => one.required).map((one) => one.name),
  };
  const given = (operation.parameters ?? []).filter((one) => one.in === "path").map((one) => `{${one.name}}`);
  const named = name.match(/\{\w+\}/g) ?? [];
  return [
    ...(String(given) === String(named) ? [] : [`${name}: path parameters ${String(given)}`]),
    ...compare(`${name} request`, request, body && { fields: body }),
    ...compareFields(`${name} query`, asked, query ?? {}),
  ];
}

function compare(where: string, schema: Json | undefined, type: Type | undefined): string[] {
  if (!schema || !type) return Boolean(schema) === Boolean(type) ? [] : [`${where}: only one of them has it`];
  if (typeof type === "string")
    return isOfType(schema, type, where.includes(" query."))
      ? []
      : [`${where}: not a ${type}: ${JSON.stringify(schema)}`];
  if ("oneOf" in type) {
    const words = (schema["enum"] as string[] | undefined) ?? [];
    return String(words.toSorted()) === String(type.oneOf.toSorted()) ? [] : [`${where}: ${String(words)}`];
  }
  if ("list" in type) return compare(`${where}[]`, schema["items"] as Json | undefined, type.list);
  return compareFields(where, schema, type.fields);
}

function compareFields(where: string, schema: Json, fields: Shape): string[] {
  const properties = schema["properties"] as Record<string, Json>;
  const required = (schema["required"] as string[] | undefined) ?? [];
  const names = Object.keys(fields).map((name) => name.replace("?", ""));
  const extra = Object.keys(properties).filter((name) => !names.includes(name));
  return [
    ...extra.map((name) => `${where}.${name}: not in the contract`),
    ...Object.entries(fields).flatMap(([key, type]) => {
      const name = key.replace("?", "");
      if (required.includes(name) === key.endsWith("?")) return [`${where}.${name}: required or not`];
      return compare(`${where}.${name}`, properties[name], type);
    }),
  ];
}

type Word = "string" | "number" | "boolean" | "date-time";

function isOfType(schema: Json, type: Word, isQuery: boolean): boolean {
  const choices = schema["anyOf"] as Json[] | undefined;
  if (choices) return choices.every((choice) => isOfType(choice, type, isQuery));
  if (type === "number" && isQuery) return isDigits(schema);
  if (type === "number") return schema["type"] === "number" || schema["type"] === "integer";
  if (type === "date-time") return schema["type"] === "string" && schema["format"] === "date-time";
  return schema["type"] === type;
}

/** A number in a query is written in digits. */
const isDigits = ({ type, pattern }: Json): boolean => type === "string" && pattern === "^[0-9]+$";
