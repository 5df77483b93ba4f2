// A create that is answered, but not with what it made: the answer is told from the first line on. Only its outcome is unknown.

import { expect, test } from "vitest";
import type { Fault } from "../../emulator/index";
import { textLike } from "../support/matchers";
import { errorOf, world } from "./scene";
import { countOrders, useCreates } from "./createCases";

useCreates();

const create = (): Promise<unknown> => world.service.create({ name: "orders" });

const CAPACITY = { code: "NO_CAPACITY", message: "no capacity in us-east-1" };

const NO_CAPACITY = (status: number): RegExp =>
  new RegExp(`the server answered ${status} NO_CAPACITY no capacity in us-east-1`);

const ANSWERS: [string, Fault, RegExp][] = [
  ["500", { kind: "status", status: 500, body: CAPACITY }, NO_CAPACITY(500)],
  ["503", { kind: "status", status: 503, body: CAPACITY }, NO_CAPACITY(503)],
  ["refusal in a 200", { kind: "garbage", status: 200, body: CAPACITY }, NO_CAPACITY(200)],
  ["page", { kind: "garbage", status: 200, body: "<html>" }, /the answer cannot be used/],
];

test.each(ANSWERS)(
  "a create that is answered with a %s says so in its row and first in its error",
  async (_, fault, said) => {
    world.emulator.faults.add({ ...fault, operation: "createService" });
    const failed = errorOf(create());
    await world.clock.sleep(1_000);
    expect(world.progress.at(-1)).toMatch(new RegExp(`^createService: ${said.source}.*; watching the list`));
    expect(await failed).toMatchObject({
      errorName: "outcome-unknown",
      message: textLike(new RegExp(`^createService of service orders: ${said.source}`)),
    });
    expect(world.progress.join()).not.toContain("lost");
    expect(world.calls()).toEqual(["createService"]);
  },
);

test("a create alone that is redirected names the place, and is not sent there", async () => {
  const location = `https://new.example/api/v1/projects/${world.emulator.projectId}/services`;
  world.emulator.faults.add({
    kind: "status",
    status: 307,
    headers: { Location: location },
    operation: "createService",
  });
  const failed = await errorOf(create());
  expect(failed).toMatchObject({
    message: textLike(
      /^createService of service orders: the server answered 307 the server redirects to https:\/\/new\.example;/,
    ),
    hint: textLike(/ is not part of the API: check .*\n.*looks before it creates/),
  });
});

test("a create whose answer is in a coding that nobody asked for is lost, and it is not sent again", async () => {
  const headers = { "content-encoding": "snappy" };
  world.emulator.faults.add({ kind: "status", status: 201, headers, commit: true, operation: "createService" });
  const { message } = await errorOf(create());
  expect(message).toMatch(
    /the answer was lost \(.*the coding of the answer cannot be read.*\); its outcome is unknown, and so far this is new:/,
  );
  expect([world.calls(), countOrders()]).toEqual([["createService"], 1]);
});
