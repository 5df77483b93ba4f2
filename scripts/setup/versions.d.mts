export function parseVersion(text: string): number[] | undefined;
export function isAtLeast(version: string, minimum: string): boolean;
