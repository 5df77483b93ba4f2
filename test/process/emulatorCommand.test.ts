// The installed command as a process of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

const main = path.resolve(__dirname, "../../dist/cli/main.js");

test("a reader that goes away after the first line does not end the server", async () => {
  const server = spawn(process.execPath, [main, "emulator", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [first] = (await once(server.stdout, "data")) as [Buffer];
  const baseUrl = /http:\/\/\S+/.exec(first.toString())?.[0] ?? "";
  server.stdout.destroy();
  // Each refusal prints a line into the broken pipe.
  for (let index = 0; index < 20; index += 1) expect((await fetch(`${baseUrl}/projects`)).status).toBe(401);
  expect(server.exitCode).toBeNull();
  server.kill("SIGTERM");
  expect(await once(server, "exit")).toEqual([0, null]);
});
