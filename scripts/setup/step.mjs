// One step of the set-up as the user sees it: a line with the reason, a sign of life while it lasts, the output of the
// program only when it fails. Everything goes to stderr: stdout belongs to the command. Built-ins only.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** A set-up that cannot go on. The message says what failed and what to do by hand. */
export class SetupError extends Error {}

export function say(line) {
  process.stderr.write(`set-up: ${line}\n`);
}

/** What a run says that waits for another one to do the same step: an `onWait` of the lock. */
export function sayWaiting(title, tell = say) {
  return (owner, waitedMs) => {
    const so = waitedMs < 1000 ? "" : `, ${Math.round(waitedMs / 1000)} s`;
    tell(`${title}: waiting for process ${owner?.pid ?? "unknown"}, which is at it${so}`);
  };
}

/**
 * Runs a program of the set-up to its end. Throws an error whose message is the last line that the program wrote and
 * whose `output` is the last part of everything.
 */
export async function runStep(title, command, args, { cwd, env, timeoutMs, aliveMs = 15_000, alive = say } = {}) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const sign = setInterval(() => alive(`  … ${title}, ${seconds()} s`), aliveMs);
  try {
    const { code, output } = await run(command, args, { cwd, env, timeout: timeoutMs });
    if (code === 0) return output;
    throw Object.assign(new Error(lastLine(output) || `${command} ended with ${code}`), { output });
  } finally {
    clearInterval(sign);
  }
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    // Ended alone, we would leave the program at work while the next run takes our lock and starts it once more.
    const stop = (signal) => {
      child.kill(signal);
      process.exit(128 + constants.signals[signal]);
    };
    for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, stop);
    child.on("exit", () => {
      for (const signal of ["SIGTERM", "SIGHUP"]) process.off(signal, stop);
    });
    let output = "";
    const keep = (chunk) => {
      output = (output + chunk).slice(-8_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error) => reject(Object.assign(error, { output })));
    child.on("close", (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

function lastLine(output) {
  return output.trimEnd().split("\n").at(-1).trim();
}
