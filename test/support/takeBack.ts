// What a test does to the environment, to functions of others and to the clock ends with it: the files of a worker share them.

import { afterEach, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
