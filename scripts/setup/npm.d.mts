interface PackageEntry {
  version?: string;
  integrity?: string;
  optional?: boolean;
  devOptional?: boolean;
  link?: boolean;
}

type Packages = Record<string, PackageEntry>;

interface Installation {
  folder: string;
  title: string;
  why?: string;
  flags: string[];
  env: Record<string, string | undefined>;
  node: string;
  cache: string;
  tell?: (line: string) => void;
}

export function staleness(locked: Packages, installed: Packages | undefined): string | undefined;
export function ensurePackages(installation: Installation): Promise<void>;
export function npmFailure(folder: string, error: Error & { output?: string }): string;
