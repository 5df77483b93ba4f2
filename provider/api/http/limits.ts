// How long and how large one exchange may be.

export interface Limits {
  connectMs: number;
  /** Until the status line and headers are there, and between two pieces of a body. */
  silenceMs: number;
  /** A connection that was used about so long ago counts as fresh: few servers close one so soon. */
  freshMs: number;
  /** A body that is wanted may be this long. */
  bytes: number;
  /** A body that is not wanted, an error's for instance, is read this far and this long. */
  asideBytes: number;
  asideMs: number;
}

export const LIMITS: Limits = {
  connectMs: 10_000,
  silenceMs: 60_000,
  freshMs: 500,
  bytes: 16 * 1024 * 1024,
  asideBytes: 64 * 1024,
  asideMs: 10_000,
};
