// Process death on the real CLI, at the request boundaries of one create with everything. Before a request takes effect, or
// after it did and before its answer, the CLI and its provider process get a SIGKILL. One boundary runs in `npm test`;
// the build server, and `REPEATS=full npm test`, run them all, some 10 s each.

import { expect, test } from "vitest";
import type { OperationName } from "../../../emulator/index";
import { meets, succeed } from "../../support/cliProcess";
import { repeats } from "../../support/repeats";
import { expectAtMostOne, expectWhole, type Found, goOn, KILLED, pulumi, startUp, useShop, world } from "./shop";

/** In the order of the requests; "before" and "after" they took effect. */
const BOUNDARIES: [operation: OperationName, moment: "before" | "after", found: Found][] = [
  ["listVpcs", "before", "nothing"],
  ["createVpc", "before", "nothing"],
  ["createVpc", "after", "the VPC"],
  ["listServices", "before", "nothing"],
  ["createService", "before", "nothing"],
  ["createService", "after", "the service"],
  ["getService", "before", "the service"],
  ["setHA", "before", "the service"],
  ["setHA", "after", "the service"],
  ["attachToVPC", "before", "the service"],
  ["attachToVPC", "after", "the service"],
  ["enablePooler", "before", "the service"],
  ["enablePooler", "after", "the service"],
  ["updatePassword", "before", "the service"],
  ["updatePassword", "after", "the service"],
];
/** With an object that nobody has been told about; ./signals.test.ts ends runs at later requests. */
const UNTOLD = BOUNDARIES.filter(([operation, moment]) => operation === "createService" && moment === "after");
const matrix = repeats(UNTOLD, BOUNDARIES);

useShop();

test.each(matrix)("SIGKILL at %s, %s it took effect: the next up finds %s", async (operation, moment, found) => {
  const run = startUp();
  await meets(run, world.emulator.faults.add({ operation, kind: "stall", commit: moment === "after" }));
  run.kill("everything");
  expect((await run.outcome).code).toBe(KILLED);
  expectAtMostOne();
  await pulumi("cancel --yes");
  await goOn(found);
  await expectWhole();
  await succeed(pulumi("destroy --yes --skip-preview"));
  expect(world.emulator.state()).toMatchObject({ services: [], vpcs: [] });
});
