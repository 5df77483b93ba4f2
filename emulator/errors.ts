// What can be said of anything that was thrown.

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Like "EEXIST"; empty where it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The disk does not take what has to be kept. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}
