// What can be said of anything that was thrown.

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Like "EEXIST"; empty where it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** What has to be kept cannot be: the disk does not take it, or the folder belongs to another emulator by now. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  /** Whether it never can be. */
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = isFinal;
  }
}
