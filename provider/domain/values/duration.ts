// Durations as people write them ("200ms", "45m") and as the program counts them (milliseconds).

/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;

const UNITS = { ms: 1, s: 1_000, m: MINUTE_MS, h: 3_600_000 } as const;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

export const DURATION_ALLOWED = 'a duration such as "200ms", "1s", "45m" or "12h"';

/** Milliseconds, or undefined when the text is no duration. Several parts ("1h30m") are added up. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.trim().matchAll(PART)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text.trim()) return undefined;
  return parts.reduce((total, [, amount, unit]) => total + Number(amount) * UNITS[unit as keyof typeof UNITS], 0);
}

/** In one or two units: "950 ms", "12 s", "45 m", "1 h 30 m". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} m` : `${minutes} m ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} m`;
}
