// Text that came from somewhere else, fit for a terminal. Whatever could move the cursor, clear the screen, write to the
// clipboard, reverse the reading direction or hide is shown as an escape (`\u001b`) that JSON and TypeScript read as the
// same character.

/**
 * Controls (C0, DEL, C1), line and paragraph separators, half characters, and what is invisible or turns the direction.
 * Joiners stay, because words of some scripts and emoji need them, and so do signs that can be seen.
 */
const UNSAFE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const LINE_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** For every exit to a terminal, a row or a file. Line breaks and tabs stay: they are ours. */
export function printable(text: string): string {
  return isPlain(text)
    ? text
    : text.replaceAll(UNSAFE, (char) => (char === "\n" || char === "\t" ? char : escaped(char)));
}

/** For text of a server or a person before it is put into ours: it cannot forge a line of its own. */
export function oneLine(text: string): string {
  return isPlain(text) ? text : text.replaceAll(UNSAFE, (char) => LINE_ESCAPES[char] ?? escaped(char));
}

/** A word for a POSIX shell, as it may stand in a command that somebody copies. */
export function shellWord(text: string): string {
  const line = oneLine(text);
  if (/^[\w./:@%+=-]+$/.test(line) && !line.startsWith("-") && !line.startsWith("~")) return line;
  return `'${line.replaceAll("'", String.raw`'\''`)}'`;
}

function isPlain(text: string): boolean {
  return !/[^ -~]/.test(text);
}

function escaped(char: string): string {
  return [...Array(char.length).keys()]
    .map((index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}
