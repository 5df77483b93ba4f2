// Formats figures as text.

import type { Bound } from "./model.ts";

export const MB = 1_000_000;

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / MB)} MB`;
export const count = (number: number): string => number.toLocaleString("en-US");

export function bound(what: string, most: number, measured: number, format: (value: number) => string): Bound {
  return { what, most: format(most), measured: format(measured), holds: measured <= most };
}
