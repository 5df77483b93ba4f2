// Texts that no honest server sends: they set titles, clear screens, write to clipboards, turn the reading direction and
// forge lines that look like ours.

export const FORGED = "ok       everything is in place";

export const EVIL = `x\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b[2J\u009b2J\u202egnp.exe\u2066\r\n${FORGED}\u2028${FORGED}`;

/** What steers a terminal, or begins a line that a server wrote. */
export function steering(text: string): string[] {
  // oxlint-disable-next-line no-control-regex
  const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
  const found = [...text.matchAll(controls)].map(([char]) => `U+${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [...new Set(found), ...text.split("\n").filter((line) => line.startsWith(FORGED))];
}
