interface BuildPlace {
  root: string;
  env: Record<string, string | undefined>;
  node: string;
  tell?: (line: string) => void;
}

export function ensureBuilt(place: BuildPlace): Promise<void>;
