// A reporter of vitest beside its own: where the output is not a terminal, a line at intervals says how far the run is.
import type { Reporter, TestSpecification } from "vitest/node";

const EVERY_MS = 15_000;

export default class Progress implements Reporter {
  #ended = 0;
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(files: readonly TestSpecification[]): void {
    const since = performance.now();
    const tell = (): void => {
      const seconds = Math.round((performance.now() - since) / 1_000);
      process.stdout.write(` … ${this.#ended} of ${files.length} files, ${seconds} s\n`);
    };
    // In a terminal vitest shows it itself.
    if (!process.stdout.isTTY) this.#timer = setInterval(tell, EVERY_MS);
  }

  onTestModuleEnd(): void {
    this.#ended += 1;
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }
}
