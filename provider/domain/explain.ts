// What `pulumi-dbcloud explain` prints, and the plugin's executable for `explain`.

import { type ErrorRow, errorTable } from "./errorTable";
import { nearest } from "./values/nearest";

const groups = Object.entries(errorTable).map(([title, group]) => ({ title, rows: Object.entries<ErrorRow>(group) }));
const rows = new Map(groups.flatMap((group) => group.rows));

const inPackage = (page: string): string => `${page}, in the npm package pulumi-dbcloud`;

/** The text, and whether it answers what was asked: a name, or without one all names. `placeOf`: where a page can be opened. */
export function explain(name: string | undefined, placeOf = inPackage): { text: string; isFound: boolean } {
  if (name === undefined) return { text: `${groups.map(listing).join("\n")}\n`, isFound: true };
  const row = rows.get(name);
  if (row === undefined) return { text: unknownName(name), isFound: false };
  const page = row.page === undefined ? [] : [`More: ${placeOf(row.page)}`];
  const looks = row.looks.map((words) => `  ${words}`).join("\n");
  return { text: `${[name, looks, row.cause, row.remedy, ...page].join("\n\n")}\n`, isFound: true };
}

function listing({ title, rows: ofGroup }: (typeof groups)[number]): string {
  const width = Math.max(...[...rows.keys()].map((name) => name.length));
  const lines = ofGroup.map(([name, { cause }]) => `  ${name.padEnd(width)}  ${firstSentence(cause)}`);
  return [title, ...lines, ""].join("\n");
}

function firstSentence(text: string): string {
  return text.replace(/(?<=\.) .*$/s, "");
}

/** Suggests the nearest name, else those that share a word with the given one. */
function unknownName(given: string): string {
  const names = [...rows.keys()];
  const words = given.toLowerCase().split(/[^a-z]+/);
  const sharing = names.filter((name) => name.split("-").some((word) => word.length > 3 && words.includes(word)));
  const near = [nearest(given, names) ?? sharing].flat();
  const meant = near.length === 0 ? "" : `Did you mean ${near.join(", ")}?\n`;
  return `there is no error ${JSON.stringify(given)}\n${meant}To list all names, run: npx pulumi-dbcloud explain\n`;
}
