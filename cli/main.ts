#!/usr/bin/env node
// The command `pulumi-dbcloud`: standard streams, exit code, nothing else.

import { runProgram } from "./program";

// A reader that has seen enough, such as `head`, is no failure. It ends a command that only prints. A server goes on, and so does
// a report, whose exit code counts.
const [, , name = ""] = process.argv;
const goesOn = ["drift", "emulator"].includes(name);
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (!goesOn) process.exit(0);
  });
}

async function main(): Promise<void> {
  process.exitCode = await runProgram(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    cwd: process.cwd(),
    environment: process.env,
  });
}

void main();
