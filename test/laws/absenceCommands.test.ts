// The commands read the same lists as the provider: one that is cut proves no absence, and a report or an import of a part is
// not one of the whole.

import { describe, expect, test } from "vitest";
import { line, useCommandLine } from "../cli/program";
import { scene, sizes, type Stack, useScene } from "../cli/drift/scene";

describe("a drift report", () => {
  useScene();

  const five = async (): Promise<Stack> => {
    const names = ["a", "b", "c", "d", "e"];
    const held = [];
    for (const name of names) held.push([name, await scene.service({ name, ...sizes })] as const);
    return Object.fromEntries(held);
  };

  test.each([undefined, "header", "member"] as const)(
    "a drift report calls nothing missing beside a cut list (%s)",
    async (next) => {
      const held = await five();
      scene.emulator.mutate.createService({ name: "somebody-elses" });
      scene.emulator.faults.add({ kind: "cut", rows: 1, ...(next && { next }) });
      const { found, code, out, error } = await scene.driftOf(held);
      expect(found.filter((one) => one.startsWith("missing"))).toEqual([]);
      expect(`${out}${error}`).toMatch(/\bcut\b|\bpage\b/);
      expect(code).not.toBe(0);
    },
  );
});

describe("an import of everything", () => {
  useCommandLine();

  test.each(["header", "member"] as const)(
    "an import is refused where a list says by a %s that it goes on",
    async (next) => {
      for (const name of ["a", "b"]) line.emulator.mutate.createService({ name });
      line.emulator.faults.add({ kind: "cut", rows: 1, next });
      const { code, error } = await line.run(["import", "--all"]);
      expect(error).toMatch(/\bcut\b|\bpage\b/);
      expect(code).not.toBe(0);
    },
  );
});
