// Options that are none, of emulators and of test stacks: refused, with the one that was probably meant.

import { expect, test } from "vitest";
import { createEmulator } from "../../emulator/index";
import { createTestStack } from "../../testing/index";

test.each([
  [{ postgre: "auto" }, "createEmulator: there is no option postgre; did you mean postgres?"],
  [{ Postgres: "auto" }, "did you mean postgres?"],
  [{ apikey: "k" }, "did you mean apiKey?"],
  [{ tmings: {} }, "did you mean timings?"],
  [{ wait: 1 }, /there is no option wait; there are port, profile, .*data$/],
  [{ timings: { craete: 5 } }, "createEmulator: timings: there is no option craete; did you mean create?"],
  [{ switches: { maxServer: 5 } }, "did you mean maxServers?"],
  [{ stale: { read: 5 } }, "createEmulator: stale: there is no option read; did you mean reads?"],
  [{ listLag: 5 }, "createEmulator: listLag is an object, not 5"],
  [{ postgres: "of" }, 'createEmulator: postgres is "auto", "off" or { bin: '],
  [{ postgres: "of" }, 'not "of"; did you mean "off"?'],
  [{ postgres: {} }, "not {}"],
])("createEmulator(%j)", async (options, message) => {
  await expect(createEmulator(options as object)).rejects.toThrow(message);
});

test.each([
  [{ programm: () => undefined }, "createTestStack: there is no option programm; did you mean program?"],
  [{ workdir: "." }, "did you mean workDir?"],
  [{ program: () => undefined, emulator: { postgre: "auto" } }, "createEmulator: there is no option postgre"],
])("createTestStack(%j)", async (options, message) => {
  await expect(createTestStack(options as object)).rejects.toThrow(message);
});

test("what is left out may be undefined", async () => {
  const emulator = await createEmulator({ postgres: undefined, stale: undefined } as object);
  expect(emulator.state().postgres).toEqual({ kind: "off" });
  await emulator.close();
});

test("changes by hand know the names of what they change: a world with another one could not be read back", async () => {
  await using emulator = await createEmulator();
  const { mutate } = emulator;
  const { id } = mutate.createService({ name: "orders" });
  const change = (fields: object) => () => mutate.service(id, fields);
  expect(change({ cpuMilis: 4000 })).toThrow("mutate.service: there is no option cpuMilis; did you mean cpuMillis?");
  expect(change({ moves: 3 })).toThrow("there is no option moves; there are status, name");
  expect(() => mutate.createVpc({ cird: "10.0.0.0/16" } as object)).toThrow("did you mean cidr?");
  expect(() => mutate.createReplicaSet(id, { node: 2 } as object)).toThrow("did you mean nodes?");
  emulator.restore(emulator.snapshot());
  expect(emulator.state().services).toMatchObject([{ id, cpuMillis: 500 }]);
});
