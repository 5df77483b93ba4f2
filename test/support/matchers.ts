// Vitest's asymmetric matchers with the type `unknown`: each stands for any fitting text.

import { expect } from "vitest";

/** Any text that contains this one. */
export const textWith = (part: string): unknown => expect.stringContaining(part);

/** Any text that matches. */
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);
