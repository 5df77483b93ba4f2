// The time of day as the machine has it.

import type { WallClock } from "../domain/values/clock";

export const systemWallClock: WallClock = { epochMs: () => Date.now() };
