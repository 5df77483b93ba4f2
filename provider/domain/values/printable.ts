// Makes foreign text safe for a terminal. Characters that could move the cursor, clear the screen, write to the clipboard,
// reverse the reading direction or be invisible are shown as an escape (`\u001b`), which JSON and TypeScript read as the same
// character.

/**
 * Controls (C0, DEL, C1), line and paragraph separators, half characters, and whatever Unicode shows as nothing (DI), which
 * includes what turns the direction. Joiners stay, because words of some scripts and emoji need them, and so does the
 * selector that makes the character before it an emoji.
 */
const UNSAFE = /(?![\u200c\u200d]|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{DI}\ufff9-\ufffb]/gu;

const LINE_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** For all output to a terminal, a row or a file. Keeps line breaks and tabs, which are our own. */
export function printable(text: string): string {
  return isPlain(text)
    ? text
    : text.replaceAll(UNSAFE, (char) => (char === "\n" || char === "\t" ? char : escaped(char)));
}

/** For foreign text before it becomes part of a message: it cannot forge a separate line. */
export function oneLine(text: string): string {
  return isPlain(text) ? text : text.replaceAll(UNSAFE, (char) => LINE_ESCAPES[char] ?? escaped(char));
}

/** Cut where it grows too long, never within a character: half of one is no text. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/\p{Cs}$/u, "")}…`;
}

/** A word quoted for a POSIX shell, for commands to copy. */
export function shellWord(text: string): string {
  const line = oneLine(text);
  if (/^[\w./:@%+=-]+$/.test(line) && !line.startsWith("-") && !line.startsWith("~")) return line;
  return `'${line.replaceAll("'", String.raw`'\''`)}'`;
}

/** With an escape for each character that looks like another one: a blank that is none, a mark that is not composed. */
export function composed(text: string): string {
  const isOtherForm = text.normalize("NFC") !== text;
  return text.replaceAll(/[^ -~]/gu, (char) => {
    const isMark = isOtherForm && (/\p{M}/u.test(char) || char.normalize("NFC") !== char);
    return isMark || /\p{Zs}/u.test(char) ? escaped(char) : char;
  });
}

function isPlain(text: string): boolean {
  return !/[^ -~]/.test(text);
}

function escaped(char: string): string {
  return [...Array(char.length).keys()]
    .map((index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}
