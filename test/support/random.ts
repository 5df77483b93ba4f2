// Repeatable random numbers: every decision of a run follows from its seed.

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
  isLucky(share: number): boolean;
  /** One of the items; there must be one. */
  pick<T>(choices: readonly T[]): T;
  /** One of the items; undefined if there is none. */
  pickFrom<T>(choices: readonly T[]): T | undefined;
  /** A whole number that seeds another source. */
  seed(): number;
  /** From 0 up to, not including, 1: for a choice from this table. */
  share(table: string): number;
}

/** One of many runs of a seed. */
export interface Turn {
  seed: number;
  run: number;
}

/** `turn`: choices from a table are spread evenly over the runs, not only within each. */
export function createRandom(seed: number, turn?: Turn): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    isLucky: (share) => next() < share,
    pick: (choices) => {
      if (choices.length === 0) throw new Error("there is nothing to choose from");
      return choices[below(choices.length)] as (typeof choices)[number];
    },
    pickFrom: (choices) => choices[below(choices.length)],
    seed: () => below(2 ** 31),
    share: turn === undefined ? next : evenShares(turn),
  };
}

/** As many runs in a row, a lap, share the nth choices from a table: each gets another one of so many equal parts. */
const LAP = 16;

function evenShares({ seed, run }: Turn): (table: string) => number {
  const times = new Map<string, number>();
  return (table) => {
    const nth = times.get(table) ?? 0;
    times.set(table, nth + 1);
    const own = Buffer.from(table).reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, seed);
    const lap = createRandom(seedOf(own, 1_000 * nth + Math.floor(run / LAP)));
    const parts = Array.from({ length: LAP }, (_, part) => ({ part, place: lap.next() }));
    const { part = 0 } = parts.toSorted((a, b) => a.place - b.place)[run % LAP] ?? {};
    return (part + lap.next()) / LAP;
  };
}

/** The seed of one run among many. */
export function seedOf(seed: number, run: number): number {
  return createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b)).seed();
}

/** One of the words, each of which has its weight behind it: `up 15, destroy 19`. */
export function choose(random: Random, weighted: string): string {
  const table = weighted
    .split(/,\s+/)
    .map((one) => [one.replace(/ ?\S+$/, ""), Number(/\S+$/.exec(one)?.[0])] as const);
  let left = random.share(weighted) * table.reduce((sum, [, weight]) => sum + weight, 0);
  return (table.find(([, weight]) => (left -= weight) < 0) ?? table[0])?.[0] ?? "";
}
