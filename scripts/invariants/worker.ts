// A worker process: performs the requested runs one after the other, by the compiled module that its argument names.
import { createRequire } from "node:module";
import type * as Walk from "../../test/engine/walk/walk.ts";
import type * as Scenarios from "../../test/invariants/scenarios.ts";

const module = createRequire(import.meta.url)(process.argv[2] ?? "") as typeof Scenarios | typeof Walk;

process.on("message", (task: Scenarios.Task) => {
  void module.perform(task).then((outcome) => process.send?.({ ...outcome, run: task.run }));
});
