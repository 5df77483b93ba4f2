// What the demo prints: a heading for each step, the commands that it runs, and what was checked on the server.
import { styleText } from "node:util";

let steps = 0;

/** Opens a numbered step. */
export function step(title: string, ...lines: readonly string[]): void {
  steps += 1;
  print("", styleText(["bold", "cyan"], `━━━ ${steps}. ${title} `.padEnd(100, "━")), ...lines, "");
}

/** A command as a user would type it. */
export function command(text: string): void {
  print(`${styleText("green", "$")} ${styleText("bold", text)}`);
}

/** Something that was checked and is true. */
export function checked(sentence: string): void {
  print(`${styleText("green", "✓")} ${sentence}`);
}

export function heading(title: string): void {
  print("", styleText("bold", title));
}

export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
