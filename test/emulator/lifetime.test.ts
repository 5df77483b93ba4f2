// Starting, closing, and what must not be left behind.

import { connect } from "node:net";
import { expect, test } from "vitest";
import { createEmulator } from "../../emulator/index";
import { httpClientFor } from "./support/httpClient";
import { openEmulator, someService } from "./support/emulator";

test("closing ends connections and leaves no timer and no socket of ours behind", async () => {
  const count = (): number => process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name)).length;
  const before = count();
  const emulator = await createEmulator();
  const { ask, call } = httpClientFor(emulator);
  await ask(202, "POST", `/projects/${emulator.projectId}/services`, someService);
  emulator.faults.add({ kind: "delay", ms: 60_000 });
  const delayed = call("GET", "/projects");
  await expect.poll(() => emulator.requests().length).toBe(2);
  await emulator.close();
  await emulator.close();
  await expect(delayed).rejects.toThrow("fetch failed");
  await expect.poll(count).toBeLessThanOrEqual(before);
});

test("await using closes it", async () => {
  let url = "";
  {
    await using emulator = await createEmulator();
    url = emulator.baseUrl;
    expect((await fetch(`${url}/projects`)).status).toBe(401);
  }
  await expect(fetch(`${url}/projects`)).rejects.toThrow("fetch failed");
});

test("it listens on the loopback address only", async () => {
  const { emulator } = await openEmulator();
  const port = Number(new URL(emulator.baseUrl).port);
  const refused = new Promise((resolve) => {
    connect({ host: "127.0.0.2", port })
      .on("error", (error: NodeJS.ErrnoException) => resolve(error.code))
      .on("connect", () => resolve("connected"));
  });
  expect(new URL(emulator.baseUrl).hostname).toBe("127.0.0.1");
  expect(await refused).not.toBe("connected");
});
