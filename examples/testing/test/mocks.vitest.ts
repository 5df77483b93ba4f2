// Without an engine: Pulumi's mocks show what a program registers, in milliseconds. Nothing is made anywhere, and nothing
// of the provider runs: what a change would do, only a stack can tell.
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, test } from "vitest";

const registered: pulumi.runtime.MockResourceArgs[] = [];

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource(args) {
      registered.push(args);
      return { id: `${args.name}-id`, state: { ...(args.inputs as object), initialPassword: "made-up-for-a-mock" } };
    },
    call: ({ inputs }) => inputs as Record<string, unknown>,
  });
});

test("the database is in the network, and no larger than development needs", async () => {
  const { ordersId } = await import("../index.js");
  await new Promise((resolve) => ordersId.apply(resolve));
  const orders = registered.find(({ name }) => name === "orders");
  expect(orders?.type).toBe("pulumi-nodejs:dynamic/dbcloud:Service");
  expect(orders?.inputs).toMatchObject({ vpcId: "network-id", cpuMillis: 1_000, environment: "DEV" });
});
