// Cases that only repeat a test with other seeds, moments or servers: `npm test` runs a part of them, and the build server
// all, with `REPEATS=full npm test`. So it does with tests that take long and show again what shorter ones show.

/** Whether every repeat runs, and tests that take long and show again what shorter ones show. */
export const isBuildServer = process.env["REPEATS"] === "full";

/** How many `npm test` runs, or all of them. */
export function repeats<T>(some: T, all: T): T {
  return isBuildServer ? all : some;
}

/** This many of the cases, evenly spread. */
export function someOf<T>(all: readonly T[], count: number): readonly T[] {
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => {
    return all[Math.floor((index * all.length) / count)] as T;
  });
}
