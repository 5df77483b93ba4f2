// What a class does to stack traces: short for Pulumi's own, whole for everything else.

import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Service } from "../../provider/pulumi/service";
import { startProgram } from "./program";

type Prepare = (error: Error, frames: NodeJS.CallSite[]) => unknown;

/** What Node's declarations do not say: there may be no hook, and it needs no `this`. */
const traces: { prepareStackTrace: Prepare | undefined; stackTraceLimit: number } = Error;

/** Pulumi: its declarations hide it. */
interface Stored {
  stackTrace: (skip: number) => Frame[];
}

interface Frame {
  uri: string;
  line: number;
}

const before = traces.prepareStackTrace;
let mapped: number[];

/** As `pulumi` does it: every trace is mapped to its sources, at a price for each frame. */
const mapper: Prepare = (error, frames) => {
  mapped.push(frames.length);
  return [String(error), ...frames.map(lineOf)].join("\n");
};

beforeEach(async () => {
  await startProgram();
  mapped = [];
  traces.prepareStackTrace = mapper;
});
afterEach(() => {
  traces.prepareStackTrace = before;
  vi.restoreAllMocks();
});

const resource: object = pulumi.Resource;

function takesTraces(value: object): value is Stored {
  return "stackTrace" in value && typeof value.stackTrace === "function";
}

/** The trace that Pulumi stores with a resource. */
function stored(make: () => unknown): (Frame | undefined)[] {
  if (!takesTraces(resource)) throw new Error("Pulumi takes its traces elsewhere");
  const stackTrace = vi.spyOn(resource, "stackTrace");
  make();
  const [result] = stackTrace.mock.results;
  stackTrace.mockRestore();
  return result?.value as (Frame | undefined)[];
}

class Other extends pulumi.CustomResource {
  constructor(name: string) {
    super("other:index:Thing", name, {});
  }
}

const make = (): Service => new Service("a", { regionCode: "us-east-1" });

test("the state keeps the one line that calls the constructor, and where it is", () => {
  const short = stored(make);
  vi.stubEnv("PULUMI_DEBUG_PROMISE_LEAKS", "1");
  traces.prepareStackTrace = mapper;
  const whole = stored(make);
  vi.unstubAllEnvs();
  expect(whole.length).toBeGreaterThan(5);
  expect(short).toHaveLength(1);
  // The constructor of the class is not compiled here, so that Pulumi counts one frame less.
  expect(short[0]?.uri).toBe(whole[0]?.uri);
});

test("a resource of another package keeps its whole trace", () => {
  make();
  const trace = stored(() => new Other("b"));
  expect(trace.length).toBeGreaterThan(5);
});

test("Pulumi's traces of promises are not mapped, and only the line of the call is", () => {
  make();
  expect(mapped.length).toBeLessThanOrEqual(3);
});

test("an error that the program throws later has all frames", async () => {
  make();
  const later = async (): Promise<string> => {
    await Promise.resolve();
    const { stack = "" } = new Error("later");
    return stack;
  };
  const stack = await later();
  expect(stack).toMatch(/^Error: later\n +at /);
  expect(stack).toContain("traces.test.ts");
  const deep = (levels: number): string => (levels === 0 ? (new Error("deep").stack ?? "") : deep(levels - 1));
  expect(deep(6).split("\n")).toHaveLength(Error.stackTraceLimit + 1);
});

test("many resources leave one hook, and none where Node maps the frames itself", () => {
  make();
  const once = traces.prepareStackTrace;
  make();
  expect(traces.prepareStackTrace).toBe(once);
  vi.spyOn(process, "sourceMapsEnabled", "get").mockReturnValue(true);
  traces.prepareStackTrace = mapper;
  make();
  expect(traces.prepareStackTrace).toBe(mapper);
});

test("two copies of the package leave one hook between them", async () => {
  vi.resetModules();
  const copy = await import("../../provider/pulumi/service.js");
  expect(copy.Service).not.toBe(Service);
  make();
  const once = traces.prepareStackTrace;
  void new copy.Service("b", { regionCode: "us-east-1" });
  make();
  expect(traces.prepareStackTrace).toBe(once);
});

test("an error in a transformation has its location, and stack traces are restored", () => {
  const limit = Error.stackTraceLimit;
  const refuse = (): never => {
    throw new Error("not here");
  };
  expect(() => new Service("a", {}, { transformations: [refuse] })).toThrow(
    expect.objectContaining({ stack: expect.stringMatching(/not here\n +at refuse/) as string }),
  );
  expect(() => new Service("a", {}, { transformations: [refuse] })).toThrow(
    expect.objectContaining({
      stack: expect.stringMatching(/at refuse[^]*\n +at .*\n +at /) as string,
    }),
  );
  expect(Error.stackTraceLimit).toBe(limit);
  expect(stored(() => new Other("b")).length).toBeGreaterThan(5);
});

test("a transformation that creates another resource keeps the first one's trace short", () => {
  const another: pulumi.ResourceTransformation = ({ name }) => {
    if (name === "first") void new Service("inner", {});
    return undefined;
  };
  const stackTrace = vi.spyOn(resource as Stored, "stackTrace");
  void new Service("first", {}, { transformations: [another] });
  expect(stackTrace.mock.results.map(({ value }) => (value as Frame[]).length)).toEqual([1, 1]);
});

const none: object = {};

test.each<[string, string, pulumi.CustomResourceOptions, RegExp]>([
  ["a name that is missing", "", {}, /Missing resource name/],
  ["a parent that is no resource", "a", { parent: none as pulumi.Resource }, /parent is not a valid Resource/],
  ["a provider that is none", "a", { provider: none as pulumi.ProviderResource }, /getPackage is not a function/],
])("%s, which Pulumi refuses at once, tells the line of the program", (_, name, opts, message) => {
  const limit = Error.stackTraceLimit;
  const attempt = (): Service => new Service(name, {}, opts);
  expect(attempt).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(message) as string,
      stack: expect.stringMatching(/\n +at attempt .*traces\.test\.ts/) as string,
    }),
  );
  expect(Error.stackTraceLimit).toBe(limit);
});

function lineOf(frame: NodeJS.CallSite): string {
  const where = `${frame.getFileName() ?? ""}:${frame.getLineNumber() ?? 0}:${frame.getColumnNumber() ?? 0}`;
  return `    at ${frame.getFunctionName() ?? "<anonymous>"} (${where})`;
}
