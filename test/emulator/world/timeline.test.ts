import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  advance,
  beginChange,
  target,
  isChanging,
  visible,
  patch,
  notStale,
  settle,
  actual,
  type Timeline,
} from "../../../emulator/controlPlane/world/timeline";

interface Body {
  readonly status: string;
  readonly size: number;
}

const old: Body = { status: "READY", size: 1 };
const during: Body = { status: "UPGRADING", size: 1 };
const after: Body = { status: "READY", size: 2 };

const stale = (parts: { ms?: number; reads?: number; comesBack?: number }) => ({ ...notStale, ...parts });

const settledTimeline = (body: Body): Timeline<Body> => ({ settled: body, changes: [], hold: undefined });

/** A track on which a change of 100 ms begins at 1000. */
function changing(lag = notStale): Timeline<Body> {
  const timeline = settledTimeline(old);
  beginChange(timeline, 1000, { phases: [{ body: during, ms: 100, busy: true }], after }, lag);
  return timeline;
}

test("a change passes through its phase and ends by the clock alone", () => {
  const timeline = changing();
  expect([1000, 1099, 1100, 9999].map((now) => actual(timeline, now))).toEqual([during, during, after, after]);
  expect([1000, 1099, 1100].map((now) => isChanging(timeline, now))).toEqual([true, true, false]);
  expect([1000, 1100].map((now) => visible(timeline, now, true))).toEqual([during, after]);
});

test("a change without duration holds at once", () => {
  const timeline = settledTimeline(old);
  beginChange(timeline, 1000, { phases: [{ body: during, ms: 0, busy: true }], after }, notStale);
  expect(actual(timeline, 1000)).toBe(after);
  expect(isChanging(timeline, 1000)).toBe(false);
});

test("stale by time: old, then the phase in full, then new, while the actual goes ahead", () => {
  const timeline = changing(stale({ ms: 50 }));
  expect([1000, 1049, 1050, 1149, 1150].map((now) => visible(timeline, now, true))).toEqual([
    old,
    old,
    during,
    during,
    after,
  ]);
  expect(actual(timeline, 1100)).toBe(after);
});

test("stale by reads: so many old answers, however long that takes, then the phase, then new", () => {
  const timeline = changing(stale({ reads: 2 }));
  expect(visible(timeline, 5000, true)).toBe(old);
  expect(visible(timeline, 6000, true)).toBe(old);
  expect(visible(timeline, 6001, true)).toBe(during);
  expect(visible(timeline, 6100, true)).toBe(after);
});

test("a read that does not count uses up no stale read", () => {
  const timeline = changing(stale({ reads: 1 }));
  expect([visible(timeline, 1000, false), visible(timeline, 1000, false), visible(timeline, 1000, true)]).toEqual([
    old,
    old,
    old,
  ]);
  expect(visible(timeline, 1000, true)).toBe(during);
});

test("old values come back for a moment after the new ones were seen", () => {
  const timeline = changing(stale({ comesBack: 2 }));
  expect([1, 2, 3, 4, 5].map((step) => visible(timeline, 1200 + step, true))).toEqual([after, old, old, after, after]);
});

test("a second change begins while readers still lag behind the first", () => {
  const timeline = changing(stale({ reads: 1 }));
  const last: Body = { status: "READY", size: 3 };
  beginChange(
    timeline,
    1200,
    { phases: [{ body: { ...after, status: "UPGRADING" }, ms: 100, busy: true }], after: last },
    stale({ reads: 1 }),
  );
  expect(visible(timeline, 1201, true)).toBe(old);
  expect(visible(timeline, 1202, true)).toEqual({ status: "UPGRADING", size: 2 });
  expect(visible(timeline, 1400, true)).toBe(last);
});

test("a held object stays in its status, and its change then takes its full time", () => {
  const timeline = changing();
  timeline.hold = { from: 1000, status: "STUCK", until: 1500, reads: 0, lastReadAt: 1000 };
  expect(advance(timeline, 1400)).toBe(true);
  expect(actual(timeline, 1400)).toEqual({ status: "STUCK", size: 1 });
  expect(isChanging(timeline, 1400)).toBe(true);
  expect(advance(timeline, 1500)).toBe(true);
  expect([1500, 1599, 1600].map((now) => actual(timeline, now))).toEqual([during, during, after]);
});

test("a change that begins during a hold continues when the hold ends, for readers too", () => {
  const timeline = settledTimeline(old);
  timeline.hold = { from: 1000, status: "STUCK", until: 1500, reads: 0, lastReadAt: 1000 };
  beginChange(timeline, 1400, { phases: [{ body: during, ms: 100, busy: true }], after }, stale({ ms: 50 }));
  advance(timeline, 1500);
  expect([1500, 1599, 1600].map((now) => actual(timeline, now))).toEqual([during, during, after]);
  expect([1549, 1550, 1650].map((now) => visible(timeline, now, true))).toEqual([
    { status: "STUCK", size: 1 },
    during,
    after,
  ]);
});

test("a hold by reads ends after so many answers that show it", () => {
  const timeline = changing();
  timeline.hold = { from: 1000, status: "STUCK", until: 1000, reads: 2, lastReadAt: 1000 };
  for (const now of [1200, 1300]) {
    advance(timeline, now);
    expect(visible(timeline, now, true)?.status).toBe("STUCK");
  }
  advance(timeline, 1301);
  expect([1301, 1399, 1400].map((now) => visible(timeline, now, true))).toEqual([during, during, after]);
});

test("a hold applies to changes without any duration too", () => {
  const timeline = settledTimeline(old);
  beginChange(timeline, 1000, { phases: [{ body: during, ms: 0, busy: true }], after: undefined }, notStale);
  timeline.hold = { from: 1000, status: "STUCK", until: Infinity, reads: 0, lastReadAt: 1000 };
  expect(actual(timeline, 2000)).toEqual({ status: "STUCK", size: 1 });
  expect(isChanging(timeline, 2000)).toBe(true);
});

test("finished changes are dropped, but only after readers have seen them", () => {
  const timeline = changing(stale({ reads: 1 }));
  expect(advance(timeline, 5000)).toBe(true);
  visible(timeline, 5000, true);
  expect(advance(timeline, 5099)).toBe(true);
  expect(advance(timeline, 5100)).toBe(false);
  expect(timeline).toEqual({ settled: after, changes: [], hold: undefined });
});

test("a deletion ends in nothing", () => {
  const timeline = settledTimeline(old);
  beginChange(timeline, 1000, { phases: [{ body: during, ms: 100, busy: true }], after: undefined }, stale({ ms: 50 }));
  expect(actual(timeline, 1100)).toBeUndefined();
  expect([1049, 1149, 1150].map((now) => visible(timeline, now, true))).toEqual([old, during, undefined]);
  expect(target(timeline)).toBeUndefined();
});

test("settling finishes everything, patching reaches before, during and after", () => {
  const patched = changing(stale({ reads: 9 }));
  patch(patched, (body) => ({ ...body, size: body.size + 10 }));
  expect(visible(patched, 1000, true)?.size).toBe(11);
  expect(actual(patched, 1000)?.size).toBe(11);
  expect(actual(patched, 1100)?.size).toBe(12);
  settle(patched);
  expect(visible(patched, 1000, true)).toEqual({ status: "READY", size: 12 });
});

test("reading never changes the object, and readers see old, then the phase, then new, in that order", () => {
  const lag = fc.record({ ms: fc.nat(200), reads: fc.nat(4), comesBack: fc.constant(0) });
  const reads = fc.array(fc.record({ after: fc.nat(60), counts: fc.boolean() }), { maxLength: 30 });
  fc.assert(
    fc.property(lag, reads, (staleness, steps) => {
      const [watched, unwatched] = [changing(staleness), changing(staleness)];
      const order = [old, during, after];
      let [now, reached] = [1000, 0];
      for (const step of steps) {
        now += step.after;
        advance(watched, now);
        const place = order.indexOf(visible(watched, now, step.counts) ?? old);
        expect(place).toBeGreaterThanOrEqual(reached);
        reached = place;
        expect(actual(watched, now)).toEqual(actual(unwatched, now));
      }
    }),
  );
});
