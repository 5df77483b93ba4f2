interface Owner {
  pid: number;
  host: string;
  token: string;
}

interface LockOptions {
  pollMs?: number;
  staleMs?: number;
  signMs?: number;
  onWait?: (owner: Owner | undefined, waitedMs: number) => void;
}

export function withLock<T>(file: string, work: () => T | Promise<T>, options?: LockOptions): Promise<T>;
