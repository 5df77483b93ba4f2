// The clock remembers its past: which real moment a moment of the emulator was.

import { beforeEach, expect, test, vi } from "vitest";
import { createClock, type ClockSetting } from "../../../emulator/controlPlane/settings/clock";

const start = Date.UTC(2030, 0);
let real = start;

beforeEach(() => {
  real = start;
  vi.spyOn(Date, "now").mockImplementation(() => real);
});

const openClock = () => createClock(Date.now);

test("a moment before the clock was advanced is that of then, and one that was skipped is the advance itself", () => {
  const clock = openClock();
  real += 1_000;
  clock.advance(3_600_000);
  real += 1_000;
  expect(clock.now()).toBe(start + 3_602_000);
  const moments = [500, 999, 1_000, 5_000, 3_600_999, 3_601_000, 3_601_400, 3_602_000];
  expect(moments.map((at) => Number(clock.realMoment(start + at)) - start)).toEqual([
    500, 999, 1_000, 1_000, 1_000, 1_000, 1_400, 2_000,
  ]);
});

test("a moment at which the clock stood still lasts until it went on", () => {
  const clock = openClock();
  real += 1_000;
  clock.freeze();
  real += 5_000;
  expect(clock.realMoment(clock.now())).toBe(start + 6_000);
  clock.advance(100);
  real += 1_000;
  clock.resume();
  real += 1_000;
  expect([1_000, 1_050, 1_100, 1_200].map((at) => Number(clock.realMoment(start + at)) - start)).toEqual([
    6_000, 6_000, 7_000, 7_100,
  ]);
});

test("what came before the clock was set, or twice because the machine's was put back, cannot be told", () => {
  const clock = openClock();
  real += 1_000;
  clock.set({ now: start - 9_000, isFrozen: false });
  real += 1_000;
  expect([-9_001, -8_500].map((at) => clock.realMoment(start + at))).toEqual([undefined, start + 1_500]);
  expect(clock.now()).toBe(start - 8_000);
  real -= 600;
  expect(clock.now()).toBe(start - 8_000);
  expect([-8_500, -8_000].map((at) => clock.realMoment(start + at))).toEqual([undefined, undefined]);
  real += 601;
  expect(clock.realMoment(clock.now())).toBe(real);
});

test("a clock that goes on from what is stored remembers too", () => {
  const before = openClock();
  real += 1_000;
  before.advance(60_000);
  const stored = JSON.parse(JSON.stringify({ ...before.setting(), latest: before.now() })) as ClockSetting;
  real += 5_000;
  const after = openClock();
  after.apply(stored);
  expect(after.now()).toBe(start + 66_000);
  expect([500, 30_000, 62_000].map((at) => Number(after.realMoment(start + at)) - start)).toEqual([500, 1_000, 2_000]);
});

test("of the past of a clock that a test runs, nothing can be told", () => {
  let at = 5;
  const clock = createClock(() => at);
  at = 10;
  expect([clock.realMoment(7), clock.realMoment(10)]).toEqual([undefined, start]);
});

test.each([1.5, -1, Number.NaN, Infinity])("it is not put ahead by %d milliseconds", (ms) => {
  expect(() => openClock().advance(ms)).toThrow(RangeError);
});
