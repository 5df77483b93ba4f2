export interface Mutant {
  name: string;
  /** What the provider does without the safeguard. */
  what: string;
  file: string;
  find: string;
  replace: string;
}

export const mutants: Mutant[];
export function mutate(mutant: Pick<Mutant, "file" | "find" | "replace">, text: string, name: string): string;
