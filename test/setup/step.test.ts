// A step of the set-up: quiet while it works, a sign of life when it lasts, the program's own words when it fails.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runStep } from "../../scripts/setup/step.mjs";

const node = (source: string) => ["-e", source];

test("reports progress with the elapsed time, and returns the output", async () => {
  const lines: string[] = [];
  const source = `console.log("hello"); setTimeout(() => {}, 60)`;
  const output = await runStep("working", process.execPath, node(source), {
    aliveMs: 10,
    alive: (line) => lines.push(line),
  });
  expect(output).toBe("hello\n");
  expect(lines.length).toBeGreaterThan(1);
  expect(lines[0]).toMatch(/^ {2}… working, \d s$/);
});

test("a failing program's last line is the reason, and all it wrote is kept", async () => {
  const source = `console.log("one"); console.error("no space left"); process.exit(3)`;
  const failure: unknown = await runStep("working", process.execPath, node(source)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: "no space left", output: expect.stringContaining("one\n") as string });
});

test("a program that says nothing or does not exist, neither of which leaves a listener", async () => {
  const before = process.listenerCount("SIGTERM");
  await expect(runStep("working", process.execPath, node("process.exit(3)"))).rejects.toThrow(/ended with 3$/);
  await expect(runStep("working", "no-such-program", [])).rejects.toThrow(/ENOENT/);
  expect(process.listenerCount("SIGTERM")).toBe(before);
});

test("a set-up that is told to end also ends the program", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dbcloud-step-"));
  const note = join(folder, "note");
  const program = `
    process.on("SIGTERM", () => {
      require("node:fs").writeFileSync(${JSON.stringify(note)}, "told to end");
      process.exit();
    });
    process.kill(process.ppid, "SIGTERM");
    setInterval(() => {}, 1000);`;
  const source = `
    import { runStep } from ${JSON.stringify(pathToFileURL("scripts/setup/step.mjs").href)};
    await runStep("working", process.execPath, ["-e", ${JSON.stringify(program)}]);`;
  try {
    const child = spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: "ignore" });
    const code = await new Promise((resolve) => {
      child.on("close", resolve);
    });
    expect(code).toBe(143);
    await expect.poll(() => existsSync(note) && readFileSync(note, "utf8")).toBe("told to end");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
