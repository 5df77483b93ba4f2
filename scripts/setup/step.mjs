// One step of the set-up as the user sees it: a line with the reason, a progress line at intervals, the output of the
// program only if it fails. Everything goes to stderr: stdout belongs to the command. Built-ins only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

/** A set-up that cannot continue. The message says what failed and what to do by hand. */
export class SetupError extends Error {}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * What a failed program wrote, as lines of a message; none for any other error.
 * @param {unknown} error
 */
export function outputLines(error) {
  return error instanceof Error && typeof error.cause === "string" ? [error.cause.trimEnd()] : [];
}

/**
 * The code of a system error, like "ENOENT".
 * @param {unknown} error
 */
export function codeOf(error) {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`set-up: ${line}\n`);
}

/**
 * Runs a program of the set-up to its end, and answers its output. If it fails, the message of the error is the last line
 * that it wrote, and the cause the last part of everything.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined> }} place
 */
export async function runStep(title, command, args, { cwd, env } = {}) {
  const started = Date.now();
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output = (output + chunk).slice(-8_000);
    });
  }
  // If only this process ended, the program would run on while the next run takes the lock and starts it again.
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  };
  const signals = /** @type {const} */ (["SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, stop);
  const sign = setInterval(() => say(`  … ${title}, ${Math.round((Date.now() - started) / 1000)} s`), 15_000);
  try {
    const [code, signal] = /** @type {[number | null, string | null]} */ (await once(child, "close"));
    if (code === 0) return output;
    const lastLine = output.trimEnd().split("\n").at(-1)?.trim();
    throw new Error(lastLine || `${command} ended with ${code ?? signal}`, { cause: output || undefined });
  } finally {
    clearInterval(sign);
    for (const one of signals) process.off(one, stop);
  }
}
