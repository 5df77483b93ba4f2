type Environment = Record<string, string | undefined>;

export function pathKey(env: Environment): string;
export function withPath(env: Environment, folders: string[], platform?: string): Environment;
export function findProgram(name: string, env: Environment, platform?: string): string | undefined;
export function cacheFolder(env: Environment, home: string, platform?: string): string;
