// Checks a long JSON text before it is parsed, because a text of brackets can take fifty times its size in memory.

/** A shorter text cannot become large. */
const HARMLESS_LENGTH = 64 * 1024;
const DEEPEST = 64;
/** Objects and lists. A service has about a dozen; the longest list that is read has some 16,000 services. */
const MOST_PARTS = 400_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Whether the text has more depth or parts than any answer of the API. Reads the text once. */
export function isTooComplex(text: string): boolean {
  if (text.length <= HARMLESS_LENGTH) return false;
  let isInText = false;
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    // It stands in texts only, and the next character is part of it.
    else if (code === BACKSLASH) at += 1;
    else if (isInText) continue;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      parts += 1;
      if (depth > DEEPEST || parts > MOST_PARTS) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}
