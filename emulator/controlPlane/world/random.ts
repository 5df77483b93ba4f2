// Seeded pseudo-random numbers: the ids, hosts, ports and metrics that the emulator generates follow from one seed. Imports nothing.

export interface Random {
  (): number;
  /** The seed of a generator that continues where this one is. */
  readonly seedOfNext: number;
}

/** A generator of numbers in [0, 1), the same sequence for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return Object.defineProperty(next, "seedOfNext", { get: () => state }) as typeof next & {
    readonly seedOfNext: number;
  };
}

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const alphabets = { digits, word: lower + digits } as const;

/** A text of `length` characters; never starts with a zero, so that numeric ids keep their length. */
export function randomText(random: Random, alphabet: keyof typeof alphabets, length: number): string {
  const letters = alphabets[alphabet];
  let text = "";
  while (text.length < length) {
    const letter = letters.charAt(Math.floor(random() * letters.length));
    if (text !== "" || letter !== "0") text += letter;
  }
  return text;
}

/** A stable number below `below` for a text: the same id always gets the same port. */
export function hashOf(text: string, below: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash ^= hash >>> 15;
  return (Math.imul(hash, 0x2c1b3c6d) >>> 0) % below;
}
