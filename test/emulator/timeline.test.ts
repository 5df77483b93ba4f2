import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  advance,
  begin,
  goal,
  isChanging,
  look,
  patch,
  promptly,
  settle,
  truth,
  type Track,
} from "../../emulator/timeline";

interface Body {
  readonly status: string;
  readonly size: number;
}

const old: Body = { status: "READY", size: 1 };
const during: Body = { status: "UPGRADING", size: 1 };
const after: Body = { status: "READY", size: 2 };

const stale = (parts: { ms?: number; reads?: number; comesBack?: number }) => ({ ...promptly, ...parts });

const settledTrack = (body: Body): Track<Body> => ({ settled: body, changes: [], hold: undefined });

/** A track on which a change of 100 ms begins at 1000. */
function changing(lag = promptly): Track<Body> {
  const track = settledTrack(old);
  begin(track, 1000, { phases: [{ body: during, ms: 100, busy: true }], after }, lag);
  return track;
}

test("a change passes through its phase and ends by the clock alone", () => {
  const track = changing();
  expect([1000, 1099, 1100, 9999].map((now) => truth(track, now))).toEqual([during, during, after, after]);
  expect([1000, 1099, 1100].map((now) => isChanging(track, now))).toEqual([true, true, false]);
  expect([1000, 1100].map((now) => look(track, now, true))).toEqual([during, after]);
});

test("a change without duration holds at once", () => {
  const track = settledTrack(old);
  begin(track, 1000, { phases: [{ body: during, ms: 0, busy: true }], after }, promptly);
  expect(truth(track, 1000)).toBe(after);
  expect(isChanging(track, 1000)).toBe(false);
});

test("stale by time: old, then the phase in full, then new, while the truth goes ahead", () => {
  const track = changing(stale({ ms: 50 }));
  expect([1000, 1049, 1050, 1149, 1150].map((now) => look(track, now, true))).toEqual([
    old,
    old,
    during,
    during,
    after,
  ]);
  expect(truth(track, 1100)).toBe(after);
});

test("stale by reads: so many old answers, however long that takes, then the phase, then new", () => {
  const track = changing(stale({ reads: 2 }));
  expect(look(track, 5000, true)).toBe(old);
  expect(look(track, 6000, true)).toBe(old);
  expect(look(track, 6001, true)).toBe(during);
  expect(look(track, 6100, true)).toBe(after);
});

test("a look that does not count uses up no stale read", () => {
  const track = changing(stale({ reads: 1 }));
  expect([look(track, 1000, false), look(track, 1000, false), look(track, 1000, true)]).toEqual([old, old, old]);
  expect(look(track, 1000, true)).toBe(during);
});

test("old values come back for a moment after the new ones were seen", () => {
  const track = changing(stale({ comesBack: 2 }));
  expect([1, 2, 3, 4, 5].map((step) => look(track, 1200 + step, true))).toEqual([after, old, old, after, after]);
});

test("a second change begins while readers still lag behind the first", () => {
  const track = changing(stale({ reads: 1 }));
  const last: Body = { status: "READY", size: 3 };
  begin(
    track,
    1200,
    { phases: [{ body: { ...after, status: "UPGRADING" }, ms: 100, busy: true }], after: last },
    stale({ reads: 1 }),
  );
  expect(look(track, 1201, true)).toBe(old);
  expect(look(track, 1202, true)).toEqual({ status: "UPGRADING", size: 2 });
  expect(look(track, 1400, true)).toBe(last);
});

test("a held object stays in its status and goes on afterwards with its full time", () => {
  const track = changing();
  track.hold = { from: 1000, status: "STUCK", until: 1500, reads: 0, lastReadAt: 1000 };
  expect(advance(track, 1400)).toBe(true);
  expect(truth(track, 1400)).toEqual({ status: "STUCK", size: 1 });
  expect(isChanging(track, 1400)).toBe(true);
  expect(advance(track, 1500)).toBe(true);
  expect([1500, 1599, 1600].map((now) => truth(track, now))).toEqual([during, during, after]);
});

test("a hold by reads ends after so many answers that show it", () => {
  const track = changing();
  track.hold = { from: 1000, status: "STUCK", until: 1000, reads: 2, lastReadAt: 1000 };
  for (const now of [1200, 1300]) {
    advance(track, now);
    expect(look(track, now, true)?.status).toBe("STUCK");
  }
  advance(track, 1301);
  expect([1301, 1399, 1400].map((now) => look(track, now, true))).toEqual([during, during, after]);
});

test("a hold strikes changes without any duration too", () => {
  const track = settledTrack(old);
  begin(track, 1000, { phases: [{ body: during, ms: 0, busy: true }], after: undefined }, promptly);
  track.hold = { from: 1000, status: "STUCK", until: Infinity, reads: 0, lastReadAt: 1000 };
  expect(truth(track, 2000)).toEqual({ status: "STUCK", size: 1 });
  expect(isChanging(track, 2000)).toBe(true);
});

test("what is over is dropped, and not before its readers have seen it", () => {
  const track = changing(stale({ reads: 1 }));
  expect(advance(track, 5000)).toBe(true);
  look(track, 5000, true);
  expect(advance(track, 5099)).toBe(true);
  expect(advance(track, 5100)).toBe(false);
  expect(track).toEqual({ settled: after, changes: [], hold: undefined });
});

test("a deletion ends in nothing", () => {
  const track = settledTrack(old);
  begin(track, 1000, { phases: [{ body: during, ms: 100, busy: true }], after: undefined }, stale({ ms: 50 }));
  expect(truth(track, 1100)).toBeUndefined();
  expect([1049, 1149, 1150].map((now) => look(track, now, true))).toEqual([old, during, undefined]);
  expect(goal(track)).toBeUndefined();
});

test("settling finishes everything, patching reaches before, during and after", () => {
  const patched = changing(stale({ reads: 9 }));
  patch(patched, (body) => ({ ...body, size: body.size + 10 }));
  expect(look(patched, 1000, true)?.size).toBe(11);
  expect(truth(patched, 1000)?.size).toBe(11);
  expect(truth(patched, 1100)?.size).toBe(12);
  settle(patched);
  expect(look(patched, 1000, true)).toEqual({ status: "READY", size: 12 });
});

test("looking never changes the truth, and readers see old, then the phase, then new, in that order", () => {
  const lag = fc.record({ ms: fc.nat(200), reads: fc.nat(4), comesBack: fc.constant(0) });
  const looks = fc.array(fc.record({ after: fc.nat(60), counts: fc.boolean() }), { maxLength: 30 });
  fc.assert(
    fc.property(lag, looks, (staleness, steps) => {
      const [watched, unwatched] = [changing(staleness), changing(staleness)];
      const order = [old, during, after];
      let [now, reached] = [1000, 0];
      for (const step of steps) {
        now += step.after;
        advance(watched, now);
        const place = order.indexOf(look(watched, now, step.counts) ?? old);
        expect(place).toBeGreaterThanOrEqual(reached);
        reached = place;
        expect(truth(watched, now)).toEqual(truth(unwatched, now));
      }
    }),
  );
});
