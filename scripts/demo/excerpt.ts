// What the demo shows of Pulumi's output, so that each step fits a screen: what becomes of each resource, what the
// provider says about it, each difference that a refresh finds, and the sum. `--verbose` shows all of it.

const WIDTH = 100;

const CLASS = String.raw`pulumi-nodejs:dynamic/dbcloud:(\w+)`;
/** ` +  …:Service orders created (2s) …`; without a sign, only a message. */
const ROW = new RegExp(String.raw`^ ([ +~-])  ${CLASS} (\S+) ((?:create|update|delete)(?:(?!\w)|d \(.*?\)))? ?(.*)$`);
/** In a report of differences, the line that names a resource comes after the one that announces it. */
const URN = new RegExp(String.raw`^ +\[urn=urn:.*::${CLASS}::(.*)\]$`);
const DIFFERENCE = /^ {6}( *)([+~-] .*|\})$/;
/** What is said of the program and in the sum, each with its own heading. */
const SECTION = /^(Diagnostics|Outputs|Resources):$/;
const PROGRESS = /^(?:\[diff: .*\]|\w+: .*, \d+ (?:ms|s)|\w+: .* → .*)/;

/** For the output of one command: takes its lines in turn, and returns what is shown for each. */
export function createExcerpt(): (line: string) => readonly string[] {
  const shown = new Set<string>();
  const once = (line: string): string[] => {
    if (shown.has(line)) return [];
    shown.add(line);
    return [line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line];
  };
  let section = "";
  const sum: string[] = [];
  return (line) => {
    section = SECTION.exec(line)?.[1] ?? (line === "" ? "" : section);
    if (section === "Resources") {
      if (/^ {4}\S/.test(line)) sum.push(line.trim());
      return [];
    }
    if (sum.length > 0) return [`  ${sum.splice(0).join(", ")}`];
    // Of the diagnostics. One that a row shows as well is shown there.
    if (/^ {4}error: /.test(line)) return once(`    ${withoutUrns(line.trim())}`);
    if (section !== "") return [];
    const [, sign = "", kind = "", name = "", done = "", message = ""] = ROW.exec(line) ?? [];
    if (message.startsWith("error: ")) return once(`    ${withoutUrns(message)}`);
    if (done !== "") return once(`  ${sign} ${kind} ${name} ${done}`);
    if (sign === " ") return message === "" || PROGRESS.test(message) ? [] : once(`    ${message}`);
    const [, itsKind, itsName] = URN.exec(line) ?? [];
    if (itsKind !== undefined) return once(`  ~ ${itsKind} ${itsName}`);
    const [, depth = "", difference] = DIFFERENCE.exec(line) ?? [];
    return difference === undefined ? [] : [`      ${depth}${difference}`];
  };
}

const withoutUrns = (text: string): string => text.replace(/"urn:[^"]*::([^"]+)"/, '"$1"');
