// Errors that nobody handles during a run of a test stack: the run hears of them, and not the runner of the tests too.

import { expect, test } from "vitest";
import { withoutOtherListeners } from "../../testing/unhandledErrors";
import { listenAlone } from "../support/listeners";

/** Listeners that write down what they hear. */
function listeners() {
  const heard: string[] = [];
  const runner = (): void => void heard.push("runner");
  const pulumi = (): void => void heard.push("pulumi");
  listenAlone("unhandledRejection", runner);
  return { heard, runner, pulumi };
}

/** A rejection that nobody handles, and the time in which Node says so. */
async function reject(): Promise<void> {
  void Promise.reject(new Error("boom"));
  await new Promise((resolve) => setImmediate(resolve));
}

test("while Pulumi listens it alone hears; before, after and in between the runner does", async () => {
  const { heard, runner, pulumi } = listeners();
  await withoutOtherListeners(async () => {
    await reject();
    process.on("unhandledRejection", pulumi);
    await reject();
    process.off("unhandledRejection", pulumi);
    await reject();
  });
  await reject();
  expect(heard).toEqual(["runner", "pulumi", "runner", "runner"]);
  expect(process.rawListeners("unhandledRejection")).toEqual([runner]);
});

test("of runs at the same time the last one brings the runner's listeners back, also one that fails", async () => {
  const { heard, runner, pulumi } = listeners();
  const first = Promise.withResolvers<void>();
  const long = withoutOtherListeners(() => first.promise);
  process.on("unhandledRejection", pulumi);
  await expect(withoutOtherListeners(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  await reject();
  process.off("unhandledRejection", pulumi);
  first.resolve();
  await long;
  expect(heard).toEqual(["pulumi"]);
  expect(process.rawListeners("unhandledRejection")).toEqual([runner]);
});

test("a listener for one time stays one", async () => {
  const { heard } = listeners();
  process.once("unhandledRejection", () => void heard.push("once"));
  await withoutOtherListeners(reject);
  await reject();
  expect(heard).toEqual(["runner", "once", "runner"]);
});
