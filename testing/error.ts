// The error of a test stack, with Pulumi's own output, which is not printed elsewhere.

export class TestStackError extends Error {
  override readonly name = "TestStackError";
  /** What Pulumi printed; empty if the CLI did not run. */
  readonly output: string;

  constructor(message: string, output = "", options: { cause?: unknown } = {}) {
    super(output === "" ? message : `${message}\n\n${output.trimEnd()}\n`, options);
    this.output = output;
  }
}
