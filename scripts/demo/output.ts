// Prints the demo: a heading for each step, the commands that it runs, and the results of its checks on the server.
import { styleText } from "node:util";

let steps = 0;

/** Starts a numbered step. */
export function step(title: string, ...lines: readonly string[]): void {
  steps += 1;
  print("", styleText(["bold", "cyan"], `━━━ ${steps}. ${title} `.padEnd(100, "━")), ...lines, "");
}

/** Prints a command as a user would type it. */
export function command(text: string): void {
  print(`${styleText("green", "$")} ${styleText("bold", text)}`);
}

/** Prints a check that has passed. */
export function checked(sentence: string): void {
  print(`${styleText("green", "✓")} ${sentence}`);
}

export function heading(title: string): void {
  print("", styleText("bold", title));
}

export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
