// Looks for secrets in everything that a user sees and in everything that is stored in plain text.

export interface LeakSearch {
  /** A value that must never be shown. */
  noteSecret(value: string): void;
  /** A line to search, for known secrets and for those that become known later in the same command. */
  said(line: string): void;
  /** The lines that contain a secret; then drops all lines. */
  search(): string[];
}

export function createLeakSearch(): LeakSearch {
  const secrets = new Set<string>();
  let lines: string[] = [];
  return {
    noteSecret: (value) => void secrets.add(value),
    said: (line) => void lines.push(line),
    search() {
      const text = lines.join("\n");
      const leaked = [...secrets].filter((secret) => text.includes(secret));
      const found = lines.filter((line) => leaked.some((secret) => line.includes(secret)));
      lines = [];
      return found;
    },
  };
}
