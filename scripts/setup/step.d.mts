export class SetupError extends Error {}

export function say(line: string): void;

interface StepOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  timeoutMs?: number;
  aliveMs?: number;
  alive?: (line: string) => void;
}

export function runStep(title: string, command: string, args: string[], options?: StepOptions): Promise<string>;
