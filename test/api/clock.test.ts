// The two clocks of a process: one for how long, one for the time of day.

import { once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { systemClock, systemWallClock } from "../../provider/api/clock";

test("a wait for a past time ends at once, without a warning of Node", async () => {
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

test("a wait longer than the longest timer does not end at once", async () => {
  const controller = new AbortController();
  const slept = systemClock.sleep(2 ** 32, controller.signal);
  const first = await Promise.race([slept.catch(() => "aborted"), systemClock.sleep(20).then(() => "waiting")]);
  controller.abort(new Error("enough"));
  expect(first).toBe("waiting");
});

describe("a machine's clock that is set", () => {
  test.each([
    ["back", -3_600_000],
    ["ahead", 3_600_000],
  ])("%s: no moment comes later or sooner, and the time of day is the new one", (_where, byMs) => {
    const machine = vi.spyOn(Date, "now").mockReturnValue(2_000_000_000_000);
    const run = vi.spyOn(performance, "now").mockReturnValue(5_000);
    const began = systemClock.now();
    machine.mockReturnValue(2_000_000_000_000 + byMs);
    expect(systemClock.now() - began).toBe(0);
    run.mockReturnValue(6_000);
    expect(systemClock.now() - began).toBe(1_000);
    expect(systemWallClock.epochMs()).toBe(2_000_000_000_000 + byMs);
  });

  test("moments begin as the time of day, in whole milliseconds", () => {
    vi.spyOn(performance, "now").mockReturnValue(0.25);
    expect(systemClock.now()).toBe(Math.round(performance.timeOrigin + 0.25));
  });
});
