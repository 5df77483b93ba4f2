// What the compiler says of a program, as the editor shows it while it is written. The check of types compiles these lines,
// and nothing runs them.

import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, test } from "vitest";
import { type ForkFromArgs, type ForkStrategy, type Provider, Service, type Vpc } from "../../provider/index";
import { Service as NativeService } from "../../provider/native";

interface Given {
  config: pulumi.Config;
  parent: Service;
  strategy: ForkStrategy;
  options: pulumi.CustomResourceOptions;
  output: typeof pulumi.output;
}

function withoutMistake({ config, parent: { serviceId }, strategy, options, output }: Given): unknown[] {
  const fork: ForkFromArgs = { serviceId: "a", strategy: "LAST_SNAPSHOT" };
  const targetTime = "2026-01-31T12:00:00Z";
  return [
    new Service("db", { environment: config.require("tag"), regionCode: "us-east-1" }),
    new Service("db", { environment: config.get("tag"), regionCode: config.get("region") }),
    new Service("db", { cpuMillis: config.getNumber("cpu"), memoryGbs: config.requireNumber("memory") }),
    new Service("db", { forkFrom: { serviceId, strategy: "NOW" } }),
    new Service("db", { forkFrom: { serviceId, strategy: "PITR", targetTime } }),
    new Service("db", { forkFrom: { serviceId, strategy, targetTime: config.get("time") } }),
    new Service("db", { forkFrom: output({ serviceId: "a", strategy: "NOW" } as const) }),
    new Service("db", { forkFrom: fork }),
    new Service("db", {}, options),
    new NativeService("db", {}, { import: "abcdefghij" }),
  ];
}

type InputsOf<Class extends abstract new (...given: never) => unknown> = NonNullable<ConstructorParameters<Class>[1]>;
type OptionsOf<Class extends abstract new (...given: never) => unknown> = NonNullable<ConstructorParameters<Class>[2]>;

test("a program with a mistake does not compile, and one without does", () => {
  expectTypeOf(withoutMistake).toBeFunction();
  // The inputs are a plain object.
  expectTypeOf<{ cpuMillis: number; memoryGbs: number }>().toExtend<InputsOf<typeof Service>>();
  expectTypeOf<{ cidr: string; regionCode: string }>().toExtend<InputsOf<typeof Vpc>>();
  expectTypeOf<{ projectId: string }>().toExtend<InputsOf<typeof Provider>>();
  expectTypeOf<pulumi.Output<{ cpuMillis: number; memoryGbs: number }>>().not.toExtend<InputsOf<typeof Service>>();
  expectTypeOf<Promise<{ cpuMillis: number; memoryGbs: number }>>().not.toExtend<InputsOf<typeof Service>>();
  expectTypeOf<pulumi.Output<{ cpuMillis: number }>>().not.toExtend<InputsOf<typeof NativeService>>();
  expectTypeOf<pulumi.Output<{ cidr: string; regionCode: string }>>().not.toExtend<InputsOf<typeof Vpc>>();
  expectTypeOf<pulumi.Output<{ projectId: string }>>().not.toExtend<InputsOf<typeof Provider>>();
  // A point in time needs one.
  expectTypeOf<{ serviceId: string; strategy: "PITR" }>().not.toExtend<ForkFromArgs>();
  expectTypeOf<{ serviceId: string; strategy: ForkStrategy }>().not.toExtend<ForkFromArgs>();
  // The option works for the plugin alone.
  expectTypeOf<{ import: string }>().not.toExtend<OptionsOf<typeof Service>>();
  expectTypeOf<{ import: string }>().not.toExtend<OptionsOf<typeof Vpc>>();
  expectTypeOf<{ import: string }>().toExtend<OptionsOf<typeof NativeService>>();
});
