export interface BuildContext {
  root: string;
  env: Record<string, string | undefined>;
  node: string;
  version: string;
  folder: string;
  tell: (line: string) => void;
}

export function buildPulumi(context: BuildContext): Promise<void>;
