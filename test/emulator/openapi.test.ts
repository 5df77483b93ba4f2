// The OpenAPI document of the control plane: it says what the contract's tables say, no more and no less, and the proxy
// that holds the contract run against it finds what does not fit.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type Profile } from "../../emulator/index";
import { contractTable, type ContractRow } from "./support/contractTable";
import { someService } from "./support/emulator";
import { httpClientFor } from "./support/httpClient";
import {
  answerSchema,
  documentAt,
  operationsOf,
  requestSchema,
  successesOf,
  type Json,
  type OpenApiDocument,
  type OpenApiOperation,
} from "./support/openapi";
import type { Shape, Type } from "./support/shapes";
import { startValidatingProxy } from "./support/validatingProxy";

async function openDocument(profile: Profile = "full") {
  const emulator = await createEmulator({ profile });
  onTestFinished(() => emulator.close());
  const url = `${emulator.adminUrl}/control-plane/openapi.json`;
  return { emulator, url, document: await documentAt(url) };
}

/** Fields that deployments send although the contract does not know them. */
const laterFields = ["Vpc.status"];

test("every operation of the contract is there with its fields, and nothing else of the contract", async () => {
  const { document, emulator } = await openDocument();
  expect([document.openapi, document.servers]).toEqual(["3.1.0", [{ url: emulator.baseUrl }]]);
  const all = [...operationsOf(document)];
  const ofContract = new Map(all.filter(([, operation]) => operation["x-offer"] === "contract"));
  expect([...ofContract.keys()].toSorted()).toEqual(Object.keys(contractTable).toSorted());
  const differences = Object.entries(contractTable).flatMap(([name, row]) => {
    const operation = ofContract.get(name);
    return operation ? differencesOf(document, name, operation, row) : [];
  });
  expect(differences).toEqual([]);
  expect(all.filter(([, operation]) => operation["x-offer"] !== "contract").map(([name]) => name)).toEqual([
    "DELETE /projects/{project_id}/services/{service_id}",
    "POST /projects/{project_id}/services/{service_id}/start",
    "POST /projects/{project_id}/services/{service_id}/rename",
    "GET /projects/{project_id}/services/{service_id}/replicaSets",
  ]);
});

test("the walk detects an extra field, a missing one, another type and another enum", async () => {
  const { document } = await openDocument();
  const wrong: [string, ContractRow][] = [
    ["POST /projects/{project_id}/vpcs", { body: { cidr: "string", name: "string", "region_code?": "string" } }],
    ["POST /projects/{project_id}/vpcs/{vpc_id}/rename", { body: { name: "string", more: "string" } }],
    ["POST /projects/{project_id}/services/{service_id}/setEnvironment", { body: { environment: { oneOf: ["DEV"] } } }],
    [
      "POST /projects/{project_id}/services/{service_id}/resize",
      { body: { cpu_millis: "number", memory_gbs: "string" } },
    ],
    ["GET /projects", { answer: { list: { fields: { id: "string" } } } }],
  ];
  for (const [name, row] of wrong) {
    const operation = operationsOf(document).get(name);
    const { answer = (contractTable as Record<string, ContractRow>)[name]?.answer } = row;
    const found = operation ? differencesOf(document, name, operation, { ...row, ...(answer && { answer }) }) : [];
    expect([name, found.length]).toEqual([name, 1]);
  }
});

test.each<[Profile, number]>([
  ["documented", 30],
  ["full", 34],
  ["public", 40],
])("profile %s describes the operations that it offers", async (profile, count) => {
  const { document } = await openDocument(profile);
  expect(operationsOf(document).size).toBe(count);
});

test("the proxy detects answers and requests that do not match", async () => {
  const { emulator, url } = await openDocument();
  const proxy = await startValidatingProxy(emulator.baseUrl, url);
  onTestFinished(() => proxy.close());
  const { ask, call } = httpClientFor({ ...emulator, baseUrl: proxy.baseUrl });
  const services = `/projects/${emulator.projectId}/services`;
  const made = await ask(202, "POST", services, someService);
  expect([proxy.findings, proxy.checked()]).toEqual([[], 1]);
  const id = String(made["service_id"]);
  emulator.mutate.service(id, { wire: { status: "NEW_WORD", region_code: undefined, extra: 1 } });
  await ask(200, "GET", `${services}/${id}`);
  await call("GET", "/nowhere");
  expect(proxy.findings.map((finding) => finding.replace(/: [A-Z].*$/, ""))).toEqual([
    "GET /projects/{project_id}/services/{service_id}: 200: region_code",
    "GET /projects/{project_id}/services/{service_id}: 200: status",
    expect.stringContaining("200: "),
    "GET /nowhere: not in the document",
  ]);
});

test("the proxy checks requests against the document too", async () => {
  const { url } = await openDocument();
  const yes = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => {
    yes.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void yes.close());
  const proxy = await startValidatingProxy(`http://127.0.0.1:${(yes.address() as AddressInfo).port}`, url);
  onTestFinished(() => proxy.close());
  const { call } = httpClientFor({ baseUrl: proxy.baseUrl, apiKey: "k" });
  const service = "/projects/p/services/s";
  await call("POST", `${service}/updatePassword`, { password: "fine as it is" });
  await call("POST", `${service}/updatePassword`, { password: 7 });
  await call("POST", `${service}/updatePassword`);
  expect(proxy.findings).toHaveLength(2);
});

function differencesOf(
  document: OpenApiDocument,
  name: string,
  operation: OpenApiOperation,
  { body, query, answer }: ContractRow,
): string[] {
  const request = requestSchema(document, operation);
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
    ...successesOf(operation).flatMap((status) =>
      compare(`${name} ${status}`, answerSchema(document, operation, status), answer),
    ),
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
  const extra = Object.keys(properties).filter((name) => !names.includes(name) && !isLater(properties[name], name));
  return [
    ...extra.map((name) => `${where}.${name}: not in the contract`),
    ...Object.entries(fields).flatMap(([key, type]) => {
      const name = key.replace("?", "");
      if (required.includes(name) === key.endsWith("?")) return [`${where}.${name}: required or not`];
      return compare(`${where}.${name}`, properties[name], type);
    }),
  ];
}

const isLater = (schema: Json | undefined, name: string): boolean =>
  schema?.["x-offer"] === "extension" && laterFields.some((field) => field.endsWith(`.${name}`));

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
