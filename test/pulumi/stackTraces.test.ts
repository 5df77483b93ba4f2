// Errors in a constructor: they show the line of the program, although Pulumi's own stack traces are off meanwhile.

import type * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { Service } from "../../provider/pulumi/service";
import { textLike } from "../support/matchers";
import { startProgram } from "./program";

test("an error in a transformation has its location, and stack traces are restored", async () => {
  await startProgram();
  const before = Error.stackTraceLimit;
  const refuse = (): never => {
    throw new Error("not here");
  };
  const make = (): unknown => new Service("a", {}, { transformations: [refuse] });
  expect(make).toThrow(expect.objectContaining({ stack: textLike(/not here\n +at refuse/) }));
  expect(Error.stackTraceLimit).toBe(before);
});

const none: object = {};

test.each<[string, string, pulumi.CustomResourceOptions, RegExp]>([
  ["a name that is missing", "", {}, /Missing resource name/],
  ["a parent that is no resource", "a", { parent: none as pulumi.Resource }, /parent is not a valid Resource/],
  ["a provider that is none", "a", { provider: none as pulumi.ProviderResource }, /getPackage is not a function/],
])("%s, which Pulumi refuses at once, shows the line of the program", async (_, name, opts, message) => {
  await startProgram();
  const before = Error.stackTraceLimit;
  const attempt = (): Service => new Service(name, {}, opts);
  expect(attempt).toThrow(
    expect.objectContaining({ message: textLike(message), stack: textLike(/\n +at attempt .*stackTraces\.test\.ts/) }),
  );
  expect(Error.stackTraceLimit).toBe(before);
});
