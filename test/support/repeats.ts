// What a test only repeats, with other seeds, moments or servers: `npm test` does a part of it. The build server does all
// of it, by `npm run invariants -- --repeats`.

const isFull = process.env["REPEATS"] === "full";

/** What `npm test` takes, or all that there is. */
export function repeats<T>(some: T, all: T): T {
  return isFull ? all : some;
}

/** So many of them, evenly spread. */
export function someOf<T>(all: readonly T[], count: number): readonly T[] {
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => {
    return all[Math.floor((index * all.length) / count)] as T;
  });
}
