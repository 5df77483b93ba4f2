// Requests that are generated from the served documents: right ones, almost right ones, and nonsense. No answer is a
// defect, and each has a status that the document of its operation names.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createEmulator } from "../../emulator/index";
import { repeats } from "../support/repeats";
import { documentAt, operationsOf, requestSchema, type Json, type OpenApiOperation } from "./support/openapi";
import { anyText, openEmulator } from "./support/emulator";
import { httpClientFor, type Answer, type HttpClient } from "./support/httpClient";

interface Schema extends Json {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  pattern?: string;
  format?: string;
  minimum?: number;
  maxLength?: number;
}

const known: Readonly<Record<string, readonly string[]>> = {
  "^[0-9]+$": ["1", "500", "4000", "0", "99999999999999999999"],
  "date-time": ["2020-01-01T00:00:00Z", "2999-12-31T23:59:59+14:00", "2020-02-30T00:00:00Z"],
  cidrv4: ["10.0.0.0/16", "10.0.0.1/16", "0.0.0.0/0"],
};

const nonsense = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>("", " ", "\0", "a\nb", "\u{1F600}", -1, 1e308, 0.5, "shared", "us-east-1", "READY"),
);

const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Mostly what the schema wants. */
function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  const { const: one, enum: words, anyOf, oneOf, properties, items, type, required = [], pattern, format } = schema;
  const choices = anyOf ?? oneOf;
  const fitting = (): fc.Arbitrary<unknown> => {
    if (one !== undefined) return fc.constant(one);
    if (words) return fc.constantFrom(...words);
    if (choices) return fc.oneof(...choices.map(valueOf));
    if (properties) {
      const fields = Object.entries(properties).map(([name, field]) => [name, valueOf(field)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: required });
    }
    if (items) return fc.array(valueOf(items), { maxLength: 3 });
    if (type === "integer" || type === "number") return fc.constantFrom(0, 1, 2, 5, 500, 2 ** 31, schema.minimum ?? 3);
    if (type === "boolean") return fc.boolean();
    const texts = known[pattern ?? ""] ?? known[format ?? ""];
    if (texts) return fc.constantFrom(...texts);
    if (type === "string") return fc.string({ minLength: 1, maxLength: 40, unit: "binary" });
    return fc.jsonValue({ maxDepth: 3 });
  };
  return fc.oneof({ weight: 15, arbitrary: fitting() }, { weight: 1, arbitrary: nonsense });
}

interface Sent {
  route: string;
  path: string;
  body: unknown;
  rawBody: string | undefined;
}

/** `ids` are placeholders of the path: mostly an object that is there, its number modulo how many there are. */
function requestOf(route: string, operation: OpenApiOperation): fc.Arbitrary<Sent> {
  const schema = requestSchema(operation);
  const [, template = ""] = route.split(" ");
  const parameters = operation.parameters ?? [];
  const query = parameters.filter((one) => one.in === "query");
  const asked = query.map(({ name, schema: one }) => fc.option(valueOf(one).map((value) => [name, String(value)])));
  const body = schema ? valueOf(schema) : fc.constantFrom(undefined, undefined, {});
  const spoilt = fc.constantFrom("", "{", "null", "[]", '"text"', "\u0000", `{"name":"${"x".repeat(20_000)}"}`);
  const raw = seldom(spoilt);
  const strange = seldom(fc.webSegment().map((text) => text || "-"));
  return fc
    .record({ body, rawBody: raw, asked: fc.tuple(...asked), strange })
    .map(({ body: value, rawBody, asked: given, strange: other }) => {
      const search = new URLSearchParams(given.flatMap((one) => (one ? [one] : [])) as [string, string][]).toString();
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        other === undefined ? `{${name}}` : encodeURIComponent(other),
      );
      return { route, path: search === "" ? path : `${path}?${search}`, body: value, rawBody };
    });
}

type Ids = (name: string) => string[];

/** Sends what is generated until the time is over, and judges each answer by the document. */
async function tryOut(url: string, { call }: HttpClient, ids: Ids, skipped: readonly string[] = []): Promise<number> {
  const operations = operationsOf(await documentAt(url));
  const routes = [...operations].filter(([, { operationId }]) => !skipped.includes(operationId));
  let sent = 0;
  const property = fc.asyncProperty(
    fc.array(fc.oneof(...routes.map(([route, operation]) => requestOf(route, operation))), {
      minLength: 15,
      maxLength: 30,
    }),
    fc.nat(),
    async (requests, seed) => {
      for (const { route, path, body, rawBody } of requests) {
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
          const there = ids(name);
          return encodeURIComponent(there[(seed + sent) % Math.max(1, there.length)] ?? "none");
        });
        const [method = ""] = route.split(" ");
        // `fetch` sends no body with a GET.
        const sends =
          method === "GET" ? ([undefined, {}] as const) : ([body, rawBody === undefined ? {} : { rawBody }] as const);
        const answer = await call(method, filled, ...sends);
        sent += 1;
        judge(route, operations.get(route), answer);
      }
    },
  );
  await fc.assert(property, {
    seed: 45,
    numRuns: repeats(30, 60),
    interruptAfterTimeLimit: 20_000,
    endOnFailure: true,
  });
  return sent;
}

function judge(route: string, operation: OpenApiOperation | undefined, { status, json, text }: Answer): void {
  const documented = Object.keys(operation?.responses ?? {});
  if (status >= 500 || !(documented.includes(String(status)) || (status >= 400 && documented.includes("4XX"))))
    throw new Error(`${route} answered ${status}, and the document names ${documented.join(", ")}: ${text}`);
  if (status >= 400) expect(json, `${route} ${status}`).toMatchObject({ code: anyText, message: anyText });
}

test("generated requests to the control plane get documented answers", async () => {
  const { emulator, clock, ...client } = await openEmulator({ profile: "public" });
  const ids: Ids = (name) => {
    const { vpcs, peerings, services, replicaSets } = emulator.state();
    // Time passes, so that not everything is busy.
    clock.advance(7);
    const objects: Record<string, { id: string }[]> = {
      project_id: [{ id: emulator.projectId }],
      vpc_id: vpcs,
      peering_id: peerings,
      service_id: services,
      replica_set_id: replicaSets,
    };
    return (objects[name] ?? []).map(({ id }) => id);
  };
  const sent = await tryOut(`${emulator.adminUrl}/control-plane/openapi.json`, client, ids);
  expect(sent).toBeGreaterThan(300);
  const refused = emulator.requests().filter(({ status = 0 }) => status >= 400);
  // Not all of them are nonsense, and not all of them are right.
  expect(refused.length / emulator.requests().length).toBeGreaterThan(0.1);
  expect(refused.length / emulator.requests().length).toBeLessThan(0.9);
}, 60_000);

test("generated requests to the admin API get documented answers", async () => {
  const emulator = await createEmulator();
  const admin = httpClientFor({ baseUrl: emulator.adminUrl, apiKey: emulator.adminKey });
  const ids: Ids = (name) => {
    const { vpcs, services } = emulator.state();
    const faults = emulator.faults.list();
    return (name === "fault_id" ? faults : [...vpcs, ...services]).map(({ id }) => id);
  };
  const sent = await tryOut(`${emulator.adminUrl}/openapi.json`, admin, ids);
  expect(sent).toBeGreaterThan(300);
  await emulator.close();
}, 60_000);
