// Work that other code waits for: begun, then done, never failed. Failures are written into the log of the service and
// show as its status.

import type { Work } from "./backend";

export class PendingWork implements Work {
  isBegun = false;
  isDone = false;
  readonly done: Promise<void>;
  #resolve: () => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve) => (this.#resolve = resolve));
  }

  begin(): void {
    this.isBegun = true;
  }

  finish(): void {
    this.isBegun = true;
    this.isDone = true;
    this.#resolve();
  }
}
