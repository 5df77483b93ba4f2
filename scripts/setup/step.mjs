// One step of the set-up as the user sees it: a line with the reason, a progress line at intervals, the output of the
// program only if it fails. Everything goes to stderr: stdout belongs to the command. Built-ins only.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** @type {NodeJS.Signals[]} */
const ended = ["SIGTERM", "SIGHUP"];

/** A set-up that cannot continue. The message says what failed and what to do by hand. */
export class SetupError extends Error {}

/** A program of the set-up that failed: the message is the last line that it wrote. */
export class StepError extends Error {
  /**
   * @param {string} message
   * @param {string} output The last part of everything that the program wrote.
   */
  constructor(message, output) {
    super(message);
    this.output = output;
  }
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * What a failed program wrote, as lines of a message; none for any other error.
 * @param {unknown} error
 */
export function outputLines(error) {
  return error instanceof StepError && error.output !== "" ? [error.output.trimEnd()] : [];
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
 * What a run says that waits for another one to do the same step: an `onWait` of the lock.
 * @param {string} title
 * @param {(line: string) => void} tell
 * @returns {NonNullable<import("./lock.mjs").LockOptions["onWait"]>}
 */
export function sayWaiting(title, tell = say) {
  return (owner, waitedMs) => {
    const so = waitedMs < 1000 ? "" : `, ${Math.round(waitedMs / 1000)} s`;
    tell(`${title}: waiting for process ${owner?.pid ?? "unknown"}, which is at it${so}`);
  };
}

/**
 * @typedef {object} StepOptions
 * @property {string} [cwd]
 * @property {Record<string, string | undefined>} [env]
 * @property {number} [timeoutMs]
 * @property {number} [aliveMs] How often a sign of life is given.
 * @property {(line: string) => void} [alive]
 */

/**
 * Runs a program of the set-up to its end, and answers its output. Throws a `StepError` where it fails.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {StepOptions} options
 */
export async function runStep(title, command, args, { cwd, env, timeoutMs, aliveMs = 15_000, alive = say } = {}) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const sign = setInterval(() => alive(`  … ${title}, ${seconds()} s`), aliveMs);
  try {
    const { code, output } = await run(command, args, { cwd, env, timeout: timeoutMs });
    if (code === 0) return output;
    throw new StepError(lastLine(output) || `${command} ended with ${code}`, output);
  } finally {
    clearInterval(sign);
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string | undefined, env: Record<string, string | undefined> | undefined, timeout: number | undefined }} options
 * @returns {Promise<{ code: number | NodeJS.Signals | null, output: string }>}
 */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    // If only this process ended, the program would run on while the next run takes the lock and starts it again.
    /** @param {NodeJS.Signals} signal */
    const stop = (signal) => {
      child.kill(signal);
      process.exit(128 + constants.signals[signal]);
    };
    for (const signal of ended) process.on(signal, stop);
    // A program that cannot be started has no exit event.
    for (const end of ["exit", "error"]) {
      child.on(end, () => {
        for (const signal of ended) process.off(signal, stop);
      });
    }
    let output = "";
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output = (output + chunk).slice(-8_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

/** @param {string} output */
function lastLine(output) {
  return output.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
