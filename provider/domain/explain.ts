// What `pulumi-dbcloud explain` prints, and the plugin's executable for `explain`: from docs/errors.md, which has a section for
// each error, with its name, what it looks like, and one or more paragraphs.

interface Section {
  name: string;
  /** What the message says, with `…` for what changes. A test finds these words where the error is made. */
  looks: readonly string[];
  text: string;
  /** Where the docs say more: a page beside this one, and a heading of it. */
  link: string | undefined;
}

/** The errors by group. */
export function sectionsIn(page: string): { title: string; sections: Section[] }[] {
  const chapters = page.split(/^## /m).map((chapter) => {
    const [title = "", ...sections] = chapter.split(/^### /m);
    return { title: title.trim(), sections: sections.map(readSection) };
  });
  return chapters.filter(({ sections }) => sections.length > 0);
}

function readSection(section: string): Section {
  const [name = "", looks = "", ...paragraphs] = section.trim().split("\n\n");
  const [text = "", link] = paragraphs.join("\n\n").split(/\s+More: \[.*\]\((.*)\)\.$/);
  return { name, looks: looks.slice(1, -1).split("` · `"), text, link };
}

const inPackage = (link: string): string => `docs/${link}, in the npm package pulumi-dbcloud`;

/** The text, and whether it answers what was asked: a name, or without one all names. `placeOf`: where a page can be opened. */
export function explain(
  page: string,
  name: string | undefined,
  placeOf = inPackage,
): { text: string; isFound: boolean } {
  const groups = sectionsIn(page);
  const all = groups.flatMap(({ sections }) => sections);
  const names = all.map((section) => section.name);
  if (name === undefined) {
    const width = Math.max(...names.map(({ length }) => length));
    const lineOf = ({ name: one, text }: Section): string => `  ${one.padEnd(width)}  ${firstSentence(text)}`;
    const lists = groups.map(({ title, sections }) => [title, ...sections.map(lineOf), ""].join("\n"));
    return { text: `${lists.join("\n")}\n`, isFound: true };
  }
  const found = all.find((section) => section.name === name);
  if (found === undefined) {
    const words = `there is no error ${JSON.stringify(name)}`;
    return { text: `${words}\nTo list all names, run: npx pulumi-dbcloud explain\n`, isFound: false };
  }
  const more = found.link === undefined ? [] : [`More: ${placeOf(found.link)}`];
  const looks = found.looks.map((words) => `  ${words}`).join("\n");
  return { text: `${[name, looks, found.text, ...more].join("\n\n")}\n`, isFound: true };
}

function firstSentence(text: string): string {
  return text.replace(/(?<=\.)\s.*$/s, "");
}
