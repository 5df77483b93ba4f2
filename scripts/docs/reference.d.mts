/** The text of `docs/reference.md`, as the sources are now. */
export function writeReference(root: string): string;
