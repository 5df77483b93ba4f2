// The bounds of the benchmark, as figures keep or break them.

import { expect, test } from "vitest";
import { boundsOf } from "../../bench/bounds";
import type { Figures, Result } from "../../bench/model";
import { stateBounds } from "../../bench/program/state";

const none: Figures = { wallMs: 0, cpuMs: 0, peakBytes: 0, stateBytes: 0, requests: {}, spanMs: 0, lateMs: [] };

function waiting(size: number, gets: number, lateMs: number[]): Result {
  const up: Figures = { ...none, requests: { listServices: gets, createService: size }, lateMs };
  return {
    kind: "waiting",
    title: `${size} services`,
    size,
    checkpoints: false,
    ready: { kind: "spread", fromMs: 2_000, toMs: 20_000, of: size },
    operations: ["up"],
    runs: 1,
    subjects: { ours: { up } },
  };
}

const heldBy = (results: Result[]): Record<string, boolean> =>
  Object.fromEntries(boundsOf({ results, loading: { floor: 0, ours: 0 } }).map(({ what, holds }) => [what, holds]));

test("a hundred awaited at once: their lateness and their GETs; a thousand: their GETs", () => {
  const all = "100 ready over 2 to 20 s, all awaited at once";
  expect(heldBy([waiting(100, 65, [240, 300, 600]), waiting(1_000, 65, [900])])).toMatchObject({
    [`${all}: ready to done, median`]: true,
    [`${all}: ready to done, 99 %`]: true,
    [`${all}: GETs`]: true,
    "waiting for 1000: GETs": true,
  });
  expect(heldBy([waiting(100, 66, [301, 301, 601]), waiting(1_000, 66, [900])])).toMatchObject({
    [`${all}: ready to done, median`]: false,
    [`${all}: ready to done, 99 %`]: false,
    [`${all}: GETs`]: false,
    "waiting for 1000: GETs": false,
  });
});

test("one operation after the other: half as much again as the floor", () => {
  const result = (wallMs: number): Result => ({
    kind: "lifecycle",
    title: "30 services",
    size: 30,
    checkpoints: false,
    parallel: 1,
    ready: { kind: "atOnce" },
    operations: ["refresh"],
    runs: 1,
    subjects: { floor: { refresh: { ...none, wallMs: 1_000 } }, ours: { refresh: { ...none, wallMs } } },
  });
  expect(heldBy([result(1_500)])).toMatchObject({ "refresh, 30 services: times the floor": true });
  expect(heldBy([result(1_501)])).toMatchObject({ "refresh, 30 services: times the floor": false });
});

test("the state of a service in a project folder, where a bound is set", () => {
  const figures = [
    { inputs: "size alone", most: 1_900, bytes: 1_901 },
    { inputs: "every usual input", bytes: 2_007 },
  ];
  expect(stateBounds(figures)).toEqual([
    {
      what: "state of one service in a project folder, size alone: bytes",
      most: "1,900",
      measured: "1,901",
      holds: false,
    },
  ]);
});
