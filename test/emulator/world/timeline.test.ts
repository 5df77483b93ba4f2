import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  advance,
  beginChange,
  visible,
  notStale,
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

test("a change that begins during a hold continues when the hold ends, and no reader sees an older status after it", () => {
  const timeline = settledTimeline(old);
  timeline.hold = { from: 1000, status: "STUCK", until: 1500, reads: 0, lastReadAt: 1000 };
  beginChange(timeline, 1400, { phases: [{ body: during, ms: 100, busy: true }], after }, stale({ ms: 50 }));
  advance(timeline, 1500);
  expect([1500, 1599, 1600].map((now) => actual(timeline, now))).toEqual([during, during, after]);
  expect([1500, 1599, 1600].map((now) => visible(timeline, now, true))).toEqual([during, during, after]);
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
