// Time as the machine has it.

import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { systemClock } from "../../provider/api/clock";

test("a wait whose moment has passed is over at once, and is nothing for Node to warn of", async () => {
  const warned: Error[] = [];
  const note = (warning: Error): void => void warned.push(warning);
  process.on("warning", note);
  await systemClock.sleep(-2);
  process.emitWarning("the last one");
  if (!warned.some(({ message }) => message === "the last one")) await once(process, "warning");
  process.off("warning", note);
  expect(warned.map(({ message }) => message)).toEqual(["the last one"]);
});

test("a wait ends early with the reason of its signal", async () => {
  const controller = new AbortController();
  const slept = systemClock.sleep(60_000, controller.signal);
  controller.abort(new Error("enough"));
  await expect(slept).rejects.toThrow("enough");
  await expect(systemClock.sleep(60_000, controller.signal)).rejects.toThrow("enough");
});

test("a machine's clock that is set back makes no moment come later, and one that is set on is followed", () => {
  const machine = vi.spyOn(Date, "now").mockReturnValue(2_000_000_000_000);
  const began = systemClock.now();
  machine.mockReturnValue(1_999_996_400_000);
  expect(systemClock.now() - began).toBe(0);
  machine.mockReturnValue(1_999_996_401_000);
  expect(systemClock.now() - began).toBe(1_000);
  machine.mockReturnValue(1_999_996_461_000);
  expect(systemClock.now() - began).toBe(61_000);
  machine.mockRestore();
});
