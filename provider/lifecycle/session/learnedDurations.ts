// How long operations take, learned from the waits of this process. Pure: no clock, no requests.
//
// A wait never observes the end of an operation, only a read with the operation pending and a later read with it done. Each
// such interval refines a histogram over the ages of waits: its weight goes to the part of the interval that earlier waits
// made likely. So the estimate becomes narrower than any single interval, and follows changes.

export interface Durations {
  /** A wait was still pending at the age of `pendingMs`, and done at `doneMs`. */
  learn(pendingMs: number, doneMs: number): void;
  /** The share of operations that is expected to be done by this age. */
  doneBy(ageMs: number): number;
}

/** Bins grow with the age: first a hundredth of an interval wide, later a quarter of a percent of the age. */
const GROWTH = 0.0025;
const BEND_INTERVALS = 4;
const BINS = 4_000;

/** Weight of a new wait relative to all earlier ones; the first waits weigh more. */
const WEIGHT = 0.1;

/**
 * Minimum share of operations that differ from all earlier ones. They may end at any age, but are expected only at the first
 * ages, and not before the first read, because a call whose answer shows a change under way takes a while.
 */
const UNLIKE = 0.15;
const FIRST_INTERVALS = { from: 1, to: 3 };
/** Most operations without earlier ones are short: this many times their even share ends at the first ages. */
const MOSTLY_SHORT = 2.5;

/** The share of what was learned that is expected to happen again, because a wrong expectation costs reads. */
const TRUST = 0.6;

export function createDurations(intervalMs: number): Durations {
  const place = (ageMs: number): number => {
    const bendMs = BEND_INTERVALS * intervalMs;
    return Math.min(BINS, Math.log1p(Math.max(0, ageMs) / bendMs) / Math.log1p(GROWTH));
  };
  const firstBins = { from: place(FIRST_INTERVALS.from * intervalMs), to: place(FIRST_INTERVALS.to * intervalMs) };
  const learned = new Float64Array(BINS);
  const expectedBefore = new Float64Array(BINS + 1);
  let count = 0;

  /** The share of one bin, for the inference. No share is zero. */
  const shareOf = (bin: number): number => (1 - UNLIKE) * (learned[bin] ?? 0) + (count === 0 ? 1 : UNLIKE) / BINS;

  function sumUp(): void {
    const unlike = (MOSTLY_SHORT * Math.max(UNLIKE, 1 / (count + 1))) / BINS;
    for (let bin = 0; bin < BINS; bin += 1) {
      const isFirst = bin >= firstBins.from && bin < firstBins.to;
      const expected = TRUST * (1 - UNLIKE) * (learned[bin] ?? 0) + (isFirst ? unlike : 0);
      expectedBefore[bin + 1] = (expectedBefore[bin] ?? 0) + expected;
    }
  }

  sumUp();
  return {
    learn(pendingMs, doneMs) {
      const first = Math.min(BINS - 1, Math.floor(place(pendingMs)));
      const last = Math.max(first, Math.min(BINS - 1, Math.ceil(place(doneMs)) - 1));
      let inside = 0;
      for (let bin = first; bin <= last; bin += 1) inside += shareOf(bin);
      const weight = Math.max(WEIGHT, 1 / (count + 1));
      for (let bin = 0; bin < BINS; bin += 1) {
        const gained = bin < first || bin > last ? 0 : (weight * shareOf(bin)) / inside;
        learned[bin] = (1 - weight) * (learned[bin] ?? 0) + gained;
      }
      count += 1;
      sumUp();
    },
    doneBy(ageMs) {
      const at = place(ageMs);
      const bin = Math.min(BINS - 1, Math.floor(at));
      const before = expectedBefore[bin] ?? 0;
      return before + (at - bin) * ((expectedBefore[bin + 1] ?? before) - before);
    },
  };
}
