// Options that are none, of emulators and of test stacks: refused, with those that there are.

import { expect, test } from "vitest";
import { createEmulator } from "../../emulator/index";
import { createTestStack } from "../../testing/index";

test.each([
  [{ postgre: "auto" }, 'createEmulator: Unrecognized key: "postgre"'],
  [{ timings: { craete: 5 } }, 'createEmulator: timings: Unrecognized key: "craete"'],
  [
    { callers: [{ token: "t", kind: "pat", readonly: true }] },
    'createEmulator: callers.0: Unrecognized key: "readonly"',
  ],
  [{ projects: [{ id: "p" }] }, "createEmulator: projects.0.name: Invalid input"],
  [{ data: "" }, "createEmulator: data: must name a folder"],
  [{ postgres: "of" }, 'createEmulator: postgres: must be "auto", "off", "required" or { bin: '],
  [{ callers: [{ token: "", kind: "pat" }] }, "callers.0.token: must be visible ASCII"],
  [{ projectId: "" }, "projectId: must have at least one character"],
  [{ port: -1 }, "port: Too small: expected number to be >=0"],
])("createEmulator(%j) is refused with the name of the option", async (options, message) => {
  await expect(createEmulator(options as object)).rejects.toThrow(message);
});

test.each<[object, string]>([
  [{ programm: (): undefined => undefined }, "createTestStack: there is no option programm; there are program"],
  [
    { program: (): undefined => undefined, emulator: { postgre: "auto" } },
    'createEmulator: Unrecognized key: "postgre"',
  ],
  [{}, "a test stack takes either a `program` or a `workDir`"],
])("createTestStack(%j) is refused with the name of the option", async (options, message) => {
  await expect(createTestStack(options)).rejects.toThrow(message);
});

test.each([
  [{ operation: "createServise", kind: "lostAfter" }, 'operation: Invalid option: expected one of "getProjects"'],
  [{ kind: "lostafter" }, "kind: Invalid discriminator value. Expected 'lostBefore'"],
  [{ kind: "lostAfter", time: 3 }, 'faults.add: Unrecognized key: "time"'],
  [{ kind: "status", status: "500" }, "faults.add: status: "],
  [{ kind: "delay", ms: Infinity }, "faults.add: ms: "],
  [{ kind: "lostAfter", times: 0 }, "faults.add: times: "],
  [{ kind: "lostAfter", match: "createService" }, 'match is a function of the request, not "createService"'],
  [undefined, "faults.add: kind: Invalid discriminator"],
])("faults.add(%j) is refused, as by the admin API: it would never strike", async (fault, message) => {
  await using emulator = await createEmulator();
  const add = (): unknown => emulator.faults.add(fault as never);
  expect(add).toThrow(TypeError);
  expect(add).toThrow(message);
  expect(emulator.faults.list()).toEqual([]);
});

test.each([
  [{ seed: 1, rate: 2 }, "faults.random: rate: "],
  [{ seed: 1, rat: 0.5 }, 'faults.random: Unrecognized key: "rat"'],
  [
    { seed: 1, rate: 0.5, kinds: ["lostafter"] },
    'faults.random: kinds.0: Invalid option: expected one of "lostBefore"',
  ],
  [{ seed: 1, rate: 0.5, operations: ["resise"] }, 'operations.0: Invalid option: expected one of "getProjects"'],
])("faults.random(%j) is refused", async (options, message) => {
  await using emulator = await createEmulator();
  expect(() => emulator.faults.random(options as never)).toThrow(message);
  expect(emulator.faults.list()).toEqual([]);
});

test("a fault of a test in this process may have a function, no end, and what is undefined", async () => {
  await using emulator = await createEmulator();
  const { faults } = emulator;
  const match = (): boolean => false;
  faults.add({ kind: "stall", match, times: Infinity, operation: undefined, commit: undefined } as never);
  faults.add({ kind: "lostBefore", ms: Infinity });
  faults.add({ kind: "stuck", status: "UPGRADING", ms: Infinity, reads: Infinity, operation: "resize" });
  expect(faults.list().map(({ kind }) => kind)).toEqual(["stall", "lostBefore", "stuck"]);
});

test("options that are left out may be undefined", async () => {
  const emulator = await createEmulator({ postgres: undefined, stale: undefined } as object);
  expect(emulator.state().postgres).toEqual({ kind: "off" });
  await emulator.close();
});

test("changes by hand refuse names that there are not, because such a world could not be read back", async () => {
  await using emulator = await createEmulator();
  const { mutate } = emulator;
  const { id } = mutate.createService({ name: "orders" });
  const change = (fields: object) => () => mutate.service(id, fields);
  expect(change({ cpuMilis: 4000 })).toThrow("mutate.service: there is no option cpuMilis; there are status, name");
  expect(change({ moves: 3 })).toThrow("there is no option moves; there are status, name");
  expect(() => mutate.createVpc({ cird: "10.0.0.0/16" } as object)).toThrow("there is no option cird");
  expect(() => mutate.createReplicaSet(id, { node: 2 } as object)).toThrow("there is no option node;");
  emulator.restore(emulator.snapshot());
  expect(emulator.state().services).toMatchObject([{ id, cpuMillis: 500 }]);
});
