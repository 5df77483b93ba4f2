// Helpers for thrown values of any type.

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Like "EEXIST"; empty if the error has no code. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** State cannot be stored: the disk refuses the write, or the folder now belongs to another emulator. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}
