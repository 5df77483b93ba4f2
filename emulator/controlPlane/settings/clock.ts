// The emulator's clock: the given clock, which a test can advance and freeze. It remembers its own past, because the
// databases know only the real time.

export interface ClockState {
  /** Epoch milliseconds. */
  now: number;
  isFrozen: boolean;
}

export interface EmulatorClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /**
   * Advances it, also while it is frozen. Throws a RangeError if `ms` is not a duration in whole milliseconds, or leads
   * beyond the last date.
   */
  readonly advance: (ms: number) => ClockState;
  /** Freezes it: no change makes progress until `advance` or `resume`. */
  readonly freeze: () => ClockState;
  /** Lets it continue from its current time. */
  readonly resume: () => ClockState;
  readonly state: () => ClockState;
}

/** From the given clock's `real` on, this clock went on from `at`, or stood still there. */
interface Stretch {
  readonly real: number;
  readonly at: number;
  readonly isFrozen: boolean;
}

/** Stored with a world, so that its dates stay right. */
export interface ClockSetting {
  /** Oldest first; the last one is the present. */
  readonly stretches: readonly Stretch[];
  /** Moments of the given clock up to this one came twice, because it was put back. */
  readonly twiceUntil: number;
  /** The last moment of the world that is stored with it. */
  readonly latest?: number | undefined;
}

export interface SettableClock extends EmulatorClock {
  readonly setting: () => ClockSetting;
  readonly apply: (setting: ClockSetting) => void;
  /** Sets another time, which may be earlier. The past is forgotten. */
  readonly set: (state: ClockState) => void;
  /** The last real moment that was not after this one of the past; undefined if that cannot be told. */
  readonly realMoment: (at: number) => number | undefined;
}

/** Years have four digits in RFC 3339; some are left for what ends later than it begins. */
export const lastMs = Date.UTC(9_900, 0);

/** Older ones are forgotten. */
const mostStretches = 1_000;

export function createClock(source: () => number): SettableClock {
  const isReal = source === Date.now;
  let stretches: Stretch[] = [];
  let twiceUntil = -1;
  let latest = -Infinity;
  const begin = (at: number, isFrozen: boolean): void => {
    stretches = [...stretches.slice(1 - mostStretches), { real: source(), at, isFrozen }];
  };
  const present = (): Stretch => stretches.at(-1) ?? { real: 0, at: 0, isFrozen: false };
  const now = (): number => {
    const { real, at, isFrozen } = present();
    if (isFrozen) return at;
    const moment = at + source() - real;
    if (moment >= latest) return (latest = moment);
    // A machine's clock may be put back. This one goes on from the last moment: what is over must not begin again.
    twiceUntil = Math.max(twiceUntil, real + latest - at);
    begin(latest, false);
    return latest;
  };
  const set = (moment: ClockState): void => {
    stretches = [];
    latest = -Infinity;
    begin(moment.now, moment.isFrozen);
  };
  const state = (): ClockState => ({ now: now(), isFrozen: present().isFrozen });
  set({ now: source(), isFrozen: false });
  return {
    now,
    state,
    advance(ms) {
      if (!Number.isSafeInteger(ms) || ms < 0 || now() + ms > lastMs)
        throw new RangeError(
          `the clock cannot be put ahead by ${ms} milliseconds: by a whole number, 0 or more, up to the year 9899`,
        );
      begin(now() + ms, present().isFrozen);
      return state();
    },
    freeze() {
      begin(now(), true);
      return state();
    },
    resume() {
      begin(now(), false);
      return state();
    },
    setting: () => ({ stretches, twiceUntil }),
    apply(setting) {
      stretches = [...setting.stretches];
      twiceUntil = setting.twiceUntil;
      latest = setting.latest ?? -Infinity;
    },
    set,
    realMoment(at) {
      // Of the past, a clock that somebody else runs tells nothing.
      if (!isReal) return at === now() ? Date.now() : undefined;
      const index = stretches.findLastIndex((stretch) => stretch.at <= at);
      const found = stretches[index];
      if (!found) return undefined;
      const end = stretches[index + 1]?.real ?? source();
      const real = found.isFrozen ? end : Math.min(found.real + at - found.at, end);
      return real > twiceUntil ? real : undefined;
    },
  };
}
