// How the demo speaks: a heading per act, the commands it types, and what was seen on the server afterwards.
import { styleText } from "node:util";

let acts = 0;

/** Opens an act. */
export function act(title, ...lines) {
  acts += 1;
  write("", styleText(["bold", "cyan"], `━━━ ${acts}. ${title} `.padEnd(100, "━")), ...lines, "");
}

/** A command as a person would type it. */
export function typed(command) {
  write(`${styleText("green", "$")} ${styleText("bold", command)}`);
}

/** Something that is true, and was checked. */
export function seen(sentence) {
  write(`${styleText("green", "✓")} ${sentence}`);
}

export function say(...lines) {
  write(...lines);
}

export function heading(title) {
  write("", styleText("bold", title));
}

function write(...lines) {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
