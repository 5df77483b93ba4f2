interface RunningNode {
  version: string;
  execPath: string;
  platform: string;
  arch: string;
}

interface NodeChoice {
  root: string;
  env: Record<string, string | undefined>;
  cache: string;
  running?: RunningNode;
}

export function ensureNode(choice: NodeChoice): Promise<string>;
export function nodeFailure(why: string, problem: string): string;
