// Helpers for thrown values of any type.

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Like "EEXIST"; empty if the error has no code. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** A folder of `--data` that is not whole. */
export const notWhole = (what: string, remedy = "put it back, or take another folder", cause?: unknown): Error =>
  new Error(`data: ${what}: ${remedy}; nothing was changed`, { cause });

/** Something that the emulator does not have. */
export class Missing extends Error {
  override readonly name = "Missing";

  constructor(what: string, id: string) {
    super(`the emulator has no ${what} with id ${id}`);
  }
}

/** State cannot be stored: the system refuses it. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}
