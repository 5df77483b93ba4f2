// The schema of a service is compiled, which must show in nothing but speed: it reads every answer as the schema that it was
// compiled from.

import { z } from "zod";
import { expect, test } from "vitest";
import { serviceItems, uncompiledService } from "../../../provider/kinds/service/answer.wire";
import { wireBareService, wireService } from "../fixtures";

const STRANGE = [undefined, null, "", " padded ", "two\nlines \u001b[2J", 0, -1.5, 1e308, Number.NaN, true, [null], {}];

test("the schema of a service can be compiled", () => {
  expect(() => z.compile(uncompiledService, { strict: true })).not.toThrow();
});

test("a service is read as without the compiler, whatever stands in one of its places", () => {
  const services = [wireService, wireBareService, { ...wireService, vpcEndpoint: wireService.vpc_endpoint }];
  const cases = services.flatMap((service) => [service, ...variantsOf(service)]);
  expect(cases.length).toBeGreaterThan(1_000);
  for (const wire of cases)
    expect(resultOf(serviceItems.schema, wire)).toStrictEqual(resultOf(uncompiledService, wire));
});

function resultOf(schema: z.ZodType, wire: unknown): unknown {
  const read = schema.safeParse(wire);
  return read.success ? { data: read.data } : { issues: read.error.issues };
}

/** The value with each of its parts left out or replaced, one at a time. */
function* variantsOf(value: unknown): Generator {
  yield* STRANGE;
  if (isList(value)) {
    for (const [at, item] of value.entries()) for (const variant of variantsOf(item)) yield value.with(at, variant);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const { [key]: _, ...rest } = value as Record<string, unknown>;
    yield rest;
    for (const variant of variantsOf(member)) yield { ...value, [key]: variant };
  }
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}
