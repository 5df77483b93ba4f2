// The emulator's clock: the given clock, which a test can advance and freeze.

export interface ClockState {
  /** Epoch milliseconds. */
  now: number;
  isFrozen: boolean;
}

export interface EmulatorClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /**
   * Advances it, also while it is frozen. Throws a RangeError if `ms` is not a duration, or leads beyond the last date.
   */
  readonly advance: (ms: number) => ClockState;
  /** Freezes it: no change makes progress until `advance` or `resume`. */
  readonly freeze: () => ClockState;
  /** Lets it continue from its current time. */
  readonly resume: () => ClockState;
  readonly state: () => ClockState;
}

/** The difference from the given clock: stored with a world, so that its dates stay right. */
export interface ClockSetting {
  readonly offsetMs: number;
  readonly frozenAt: number | undefined;
  /** The last moment of the world that is stored with it. */
  readonly latest?: number | undefined;
}

export interface SettableClock extends EmulatorClock {
  readonly setting: () => ClockSetting;
  readonly apply: (setting: ClockSetting) => void;
  /** Sets another time, which may be earlier. */
  readonly set: (state: ClockState) => void;
}

/** Years have four digits in RFC 3339; some are left for what ends later than it begins. */
export const lastMs = Date.UTC(9_900, 0);

export function createClock(source: () => number): SettableClock {
  let offsetMs = 0;
  let frozenAt: number | undefined;
  let latest = -Infinity;
  const now = (): number => {
    if (frozenAt !== undefined) return frozenAt;
    // A machine's clock may be put back. This one goes on from the last moment: what is over must not begin again.
    offsetMs += Math.max(0, latest - (source() + offsetMs));
    latest = source() + offsetMs;
    return latest;
  };
  const state = (): ClockState => ({ now: now(), isFrozen: frozenAt !== undefined });
  return {
    now,
    state,
    advance(ms) {
      if (!Number.isFinite(ms) || ms < 0 || now() + ms > lastMs)
        throw new RangeError(`the clock cannot be put ahead by ${ms} milliseconds: by 0 or more, up to the year 9899`);
      if (frozenAt === undefined) offsetMs += ms;
      else frozenAt += ms;
      return state();
    },
    freeze() {
      frozenAt = now();
      return state();
    },
    resume() {
      offsetMs = now() - source();
      frozenAt = undefined;
      return state();
    },
    setting: () => ({ offsetMs, frozenAt }),
    apply: (setting) => void ({ offsetMs, frozenAt, latest = -Infinity } = setting),
    set(moment) {
      latest = -Infinity;
      offsetMs = moment.now - source();
      frozenAt = moment.isFrozen ? moment.now : undefined;
    },
  };
}
