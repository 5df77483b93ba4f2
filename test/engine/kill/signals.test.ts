// One process of a run on the real CLI ends alone, or a person stops the run: whatever is still to do is done or named.

import { expect, test } from "vitest";
import { fail, isAlive, meets, until } from "../../support/cliProcess";
import { isBuildServer, repeats } from "../../support/repeats";
import { type Classes, expectWhole, goOn, KILLED, pulumi, startUp, useShop, world } from "./shop";

/** A look at the processes of the machine is a process itself. */
const PS_MS = 100;
const CREATE_MS = 20_000;

useShop();

/** Stopped while a create is under way: it ends at once and is saved. Returns the last call of the next `up`, which completes it. */
async function lastCallAfter(run: ReturnType<typeof startUp>, stop: () => void): Promise<string | undefined> {
  await until(() => world.emulator.state().services.length > 0, PS_MS);
  const sinceMs = performance.now();
  stop();
  const { text } = await fail(run.outcome);
  expect(performance.now() - sinceMs).toBeLessThan(CREATE_MS / 2);
  expect(text).toContain("the command was canceled, so nothing more is sent");
  world.emulator.settle();
  await goOn("nothing");
  const last = world.calls().at(-1);
  await expectWhole();
  return last;
}

test.each(repeats<Classes[]>(["pulumi-dbcloud/native"], ["pulumi-dbcloud", "pulumi-dbcloud/native"]))(
  "SIGKILL of the CLI alone: the provider of %s awaits the answer of the call that was sent, sends nothing more, and exits",
  async (classes) => {
    const run = startUp(classes);
    // Longer than the engine may refuse connections before it counts as gone.
    await meets(run, world.emulator.faults.add({ operation: "attachToVPC", kind: "delay", ms: 2_000 }));
    const providers = run.providers();
    run.kill("the CLI");
    expect((await run.outcome).code).toBe(KILLED);
    expect(providers).toHaveLength(1);
    await until(() => !providers.some(isAlive), PS_MS);
    expect(world.calls().at(-1)).toBe("attachToVPC");
    await pulumi("cancel --yes");
    await goOn("the service");
    await expectWhole();
  },
);

test.each(
  repeats<[NodeJS.Signals, Classes][]>(
    [["SIGTERM", "pulumi-dbcloud"]],
    [
      ["SIGTERM", "pulumi-dbcloud"],
      ["SIGINT", "pulumi-dbcloud"],
      ["SIGTERM", "pulumi-dbcloud/native"],
    ],
  ),
)(
  "%s to all processes of a run of %s: what is being created is saved with its id, and the next up completes it",
  async (signal, classes) => {
    world.emulator.settings.timings.create = CREATE_MS;
    const run = startUp(classes);
    expect(await lastCallAfter(run, () => run.kill("everything", signal))).toBe("updatePassword");
  },
);

test("SIGKILL of the provider process alone: the CLI reports it and exits", async () => {
  const run = startUp();
  await meets(run, world.emulator.faults.add({ operation: "attachToVPC", kind: "stall", commit: true }));
  run.kill("the provider process");
  const { text } = await fail(run.outcome);
  expect(text).toContain("Service shop");
  await goOn("the service");
  await expectWhole();
});

test.runIf(isBuildServer)("Ctrl-C once: the create completes and is saved", async () => {
  const run = startUp();
  await meets(run, world.emulator.faults.add({ operation: "attachToVPC", kind: "delay", ms: 1_000 }));
  run.interrupt();
  const { text } = await fail(run.outcome);
  expect(text).toContain("update canceled");
  expect(world.calls().at(-1)).toBe("updatePassword");
  await goOn("nothing");
  expect(world.calls()).toEqual([]);
  await expectWhole();
});

test("Ctrl-C once, with the plugin: the create ends at once and is saved, and the next up completes it", async () => {
  world.emulator.settings.timings.create = CREATE_MS;
  const run = startUp("pulumi-dbcloud/native");
  expect(await lastCallAfter(run, () => run.interrupt())).toBe("updatePassword");
});

test("Ctrl-C after a change was accepted, with the plugin: it is told as accepted, and the next up sends it no more", async () => {
  world.emulator.settings.timings.attach = CREATE_MS;
  const run = startUp("pulumi-dbcloud/native");
  await until(() => world.calls().includes("attachToVPC"), PS_MS);
  run.interrupt();
  const { text } = await fail(run.outcome);
  expect(text).toContain("accepted, not yet seen: attachToVPC; the next `pulumi up` waits for it");
  expect(text).not.toContain("failed: attachToVPC");
  world.emulator.settle();
  await goOn("nothing");
  expect(world.calls()).toEqual(["enablePooler", "updatePassword"]);
  await expectWhole();
});

test.runIf(isBuildServer)(
  "Ctrl-C twice: the CLI exits although a call has no answer, and the next up names the service",
  async () => {
    const run = startUp();
    await meets(run, world.emulator.faults.add({ operation: "attachToVPC", kind: "stall", commit: true }));
    run.interrupt();
    await until(() => /cancell?ing|terminate immediately/i.test(run.printed()));
    run.interrupt();
    const { text } = await fail(run.outcome);
    expect(text).toContain("interrupted");
    await goOn("the service");
    await expectWhole();
  },
);
