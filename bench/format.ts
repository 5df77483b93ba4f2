// Formats figures as text.

export const MB = 1_000_000;

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / MB)} MB`;
export const count = (number: number): string => number.toLocaleString("en-US");
