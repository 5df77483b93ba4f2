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
 * Says at intervals how far a step is, until the function that it answers is called.
 * @param {string} title
 * @param {() => string} far
 */
export function showProgress(title, far) {
  const sign = setInterval(() => say(`  … ${title}, ${far()}`), 15_000);
  return () => clearInterval(sign);
}

/** Ends what runs of the set-up, and lets nothing else begin: a step has failed, or the process ends. */
export const steps = new AbortController();

/**
 * Runs a program of the set-up to its end, and answers its output. If it fails, the message of the error is the last line
 * that it wrote, and the cause the last part of everything. `words` says what the
 * lines of one word are that it writes.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined>, words?: string }} place
 */
export async function runStep(title, command, args, { cwd, env, words } = {}) {
  const started = Date.now();
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], signal: steps.signal });
  let output = "";
  let written = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
      written += chunk.match(/^\S+$/gm)?.length ?? 0;
      output = (output + chunk).slice(-8_000);
    });
  }
  // If only this process ended, the program would run on while the next run takes the lock and starts it again.
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    steps.abort();
    process.exit(128 + constants.signals[signal]);
  };
  const signals = /** @type {const} */ (["SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, stop);
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const done = showProgress(title, words === undefined ? seconds : () => `${written} ${words}`);
  try {
    const [code, signal] = /** @type {[number | null, string | null]} */ (await once(child, "close"));
    if (code === 0) return output;
    const lastLine = output.trimEnd().split("\n").at(-1)?.trim();
    throw new Error(lastLine || `${command} ended with ${code ?? signal}`, { cause: output || undefined });
  } finally {
    done();
    for (const one of signals) process.off(one, stop);
  }
}
