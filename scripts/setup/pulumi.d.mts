type Environment = Record<string, string | undefined>;

interface Choice {
  bin: string;
  root?: string;
}

interface BuildContext {
  root: string;
  env: Environment;
  node: string;
  version: string;
  folder: string;
}

interface Search {
  root: string;
  env: Environment;
  cache: string;
  node: string;
  tell?: (line: string) => void;
  build?: (context: BuildContext) => Promise<void>;
}

export function ensurePulumi(search: Search): Promise<Choice>;
export function wantedRelease(root: string, platform?: string, arch?: string): { version: string; key: string };
export function fromPath(env: Environment, cache: string): Promise<Partial<Choice> & { reason?: string }>;
export function pulumiFailure(error: Error & { output?: string }): string;
