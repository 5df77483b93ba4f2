// What a test stack throws: with Pulumi's own output, which nobody sees otherwise.

export class TestStackError extends Error {
  override readonly name = "TestStackError";
  /** What Pulumi printed; empty where it did not come to that. */
  readonly output: string;

  constructor(message: string, output = "", options: ErrorOptions = {}) {
    super(output === "" ? message : `${message}\n\n${output.trimEnd()}\n`, options);
    this.output = output;
  }
}
