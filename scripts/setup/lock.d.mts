interface Owner {
  pid: number;
  host: string;
  token: string;
}

interface LockOptions {
  pollMs?: number;
  touchMs?: number;
  staleMs?: number;
  onWait?: (owner: Owner | undefined) => void;
}

export function withLock<T>(file: string, work: () => T | Promise<T>, options?: LockOptions): Promise<T>;
