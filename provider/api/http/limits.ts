// The limits of time and size for one exchange.

export interface Limits {
  connectMs: number;
  /** Until the status line and headers are there, and between two pieces of a body. */
  silenceMs: number;
  /** A connection that was used about so long ago counts as fresh: few servers close one so soon. */
  freshMs: number;
  /** A body that is wanted may be this long. */
  bytes: number;
  /** A body that is not needed, such as that of an error, is read up to this length and time. */
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
