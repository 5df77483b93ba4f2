// Vitest's asymmetric matchers, typed as what they are: unknown values that stand for any fitting text.

import { expect } from "vitest";

/** Any text that contains this one. */
export const textWith = (part: string): unknown => expect.stringContaining(part);

/** Any text that matches. */
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);
