// What the compiler says of a program, as the editor shows it while it is written. The check of types compiles these lines,
// and fails where a mistake is none. Nothing runs them.

import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, test } from "vitest";
import { type ForkFromArgs, type ForkStrategy, Provider, Service, Vpc } from "../../provider/index";
import { Service as NativeService } from "../../provider/native";

interface Given {
  config: pulumi.Config;
  parent: Service;
  strategy: ForkStrategy;
  options: pulumi.CustomResourceOptions;
  output: typeof pulumi.output;
}

const net = { cidr: "10.0.0.0/24", regionCode: "us-east-1" };

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

function withMistakes({ parent: { serviceId }, strategy, output }: Given): unknown[] {
  return [
    // @ts-expect-error: the inputs are a plain object
    new Service("db", output({ cpuMillis: 500, memoryGbs: 2 })),
    // @ts-expect-error: the inputs are a plain object
    new Service("db", Promise.resolve({ cpuMillis: 500, memoryGbs: 2 })),
    // @ts-expect-error: the inputs are a plain object
    new NativeService("db", output({ cpuMillis: 500 })),
    // @ts-expect-error: the inputs are a plain object
    new Vpc("net", output(net)),
    // @ts-expect-error: the settings are a plain object
    new Provider("lab", output({ projectId: "p1" })),
    // @ts-expect-error: PITR needs a time
    new Service("db", { forkFrom: { serviceId, strategy: "PITR" } }),
    // @ts-expect-error: what may be PITR needs a time
    new Service("db", { forkFrom: { serviceId, strategy } }),
    // @ts-expect-error: the option works for the plugin alone
    new Service("db", {}, { import: "abcdefghij" }),
    // @ts-expect-error: the option works for the plugin alone
    new Vpc("net", net, { import: "1" }),
  ];
}

test("a program with a mistake does not compile, and one without does", () => {
  expectTypeOf(withoutMistake).toBeFunction();
  expectTypeOf(withMistakes).toBeFunction();
});
